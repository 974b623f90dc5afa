// Which program this is, in words that are the same wherever its sources were compiled.
#pragma once

#include <string>

namespace foretrain::exec {

/// `0.1.0 (2c2e608b1a2c, wire 2)`: the version, the commit, how frames are laid out. Compilers and
/// their flags are no part of it: hosts that each compile the same commit have the same build. So
/// have the two programs of a package; which kernels nodes have they tell apart
/// (launch/kernel_agreement.h).
///
/// Where sources differ from their commit a digest of what differs is added
/// (`2c2e608b1a2c-dirty.5f3a9c21`), and sources without their history are known by a digest of all
/// of them (`sources.5f3a9c21`): equal sources have equal names, others have not.
const std::string& build_name();

/// What a person is told where `theirs` met `ours`: as a part of a sentence about the peer.
std::string other_build(const std::string& theirs, const std::string& ours);

/// Of the sources that were compiled; a file of its own, the only one that a new commit compiles.
extern const char* const kCommit;
extern const char* const kVersion;
/// A digest of the sources whose speed a calibration measures, of its own, with the compiler and
/// its flags: where that is the same, so is what was measured.
extern const char* const kMeasured;

}  // namespace foretrain::exec
