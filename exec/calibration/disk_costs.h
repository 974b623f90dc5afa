// The time of writing a node's part of a checkpoint on this machine.
#pragma once

#include "exec/calibration/calibrate.h"
#include "exec/calibration/core_watch.h"
#include "scenarios/spec/disk_cost.h"
#include "scenarios/spec/machine.h"

namespace foretrain::exec {

/// Size of a checkpoint part with its writing time.
struct PartTime {
  Bytes size;
  double time_s = 0;
};

/// The line through both: latency + bytes / rate. If a coefficient would be negative, the time is
/// proportional to the size, through the larger part.
DiskCost disk_through(const PartTime& small, const PartTime& large);

/// Default folder of records: `out`, or the folder in which it would be created.
std::filesystem::path place_of_records();

/// Writes parts of two sizes as a node does (NodePart::write: the state is copied, hashed, written,
/// synced to the disk) to a temporary folder in CalibrateOptions::disk, and puts the result of the
/// medians into `machine`. If writing fails (the disk is full, read-only), reports that and lists
/// it as not measured. @throws NotDone if it was stopped, or a signal came
void measure_disk(Machine& machine, const CalibrateOptions& options, CoreWatch& watch);

}  // namespace foretrain::exec
