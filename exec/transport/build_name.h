// The name of this build, which is the same wherever the same sources were compiled.
#pragma once

#include <string>

namespace foretrain::exec {

/// `0.1.0 (2c2e608b1a2c, wire 2)`: version, commit, version of the wire format. Compilers and their
/// flags are not part of it: hosts that compile the same commit have the same build, and so have
/// the two programs of a package, whose kernels are compared separately
/// (launch/kernel_agreement.h).
///
/// If the sources differ from their commit, a digest of the differences is appended
/// (`2c2e608b1a2c-dirty.5f3a9c21`). Sources without history are named by a digest of all of them
/// (`sources.5f3a9c21`). Equal sources have equal names, different ones do not.
const std::string& build_name();

/// Error text if `theirs` meets `ours`, as a part of a sentence about the peer.
std::string other_build(const std::string& theirs, const std::string& ours);

/// Commit of the compiled sources, in a separate file: the only one that a new commit recompiles.
extern const char* const kCommit;
extern const char* const kVersion;
/// A digest of the sources whose speed a calibration measures, together with the compiler and its
/// flags: if it is equal, measurements stay valid.
extern const char* const kMeasured;

}  // namespace foretrain::exec
