// What a node's part of a checkpoint takes on this machine.
#pragma once

#include "exec/calibration/calibrate.h"
#include "exec/calibration/core_watch.h"
#include "scenarios/spec/disk.h"
#include "scenarios/spec/machine.h"

namespace foretrain::exec {

/// A part of a checkpoint with the time that it took.
struct PartTime {
  Bytes size;
  double time_s = 0;
};

/// The line through both: latency + bytes / rate. In proportion to the larger one where that line
/// would have a part below zero.
DiskCost disk_through(const PartTime& small, const PartTime& large);

/// Where records go by default: the folder `out`, or the one in which it would be made.
std::filesystem::path place_of_records();

/// Writes parts of two sizes as a node does it (NodePart::write: the state is copied, hashed,
/// written, forced to the disk) to a folder of its own in CalibrateOptions::disk, which is removed
/// again; puts into `machine` what their medians say. Where nothing can be written there (the disk
/// is full, read-only), that is told, noted as not measured.
/// @throws NotDone where it was stopped, or a signal came
void measure_disk(Machine& machine, const CalibrateOptions& options, CoreWatch& watch);

}  // namespace foretrain::exec
