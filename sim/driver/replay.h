// Repetition of a recorded training: in the order of its inputs, or with its job times.
#pragma once

#include "reports/record/record.h"
#include "scenarios/resolve/case_data.h"

namespace foretrain::sim {

/// Feeds every node its recorded inputs in their recorded order, each as soon as the corresponding
/// message or job exists. Nothing takes time; nodes receive the recorded times. So, whatever the
/// strategy, the weights equal those of the recorded run, bit for bit.
///
/// If the run resumed from checkpoints, the replay also continues from the states that its nodes
/// have at each of these checkpoints; the lost work is skipped.
///
/// Returns the record of the nodes' reports, with the recorded times. If the run was not done, the
/// replay ends with its inputs, as interrupted.
/// @throws InputError if the record has no inputs, or no such training could have produced them;
/// NotDone if a signal came meanwhile (reports/record/interruption.h)
Record replay(const Record& recorded);

/// Whether `recorded` has job times: they are recorded on request (RunOptions::job_times).
bool has_job_times(const Record& recorded);

/// The case to simulate with recorded job times (SimulateOptions::recorded). What the model learns
/// does not matter there, so numerics are off, except if message sizes or the end of the training
/// depend on values.
Case case_of_times(const Case& scenario_case, DataSets& data_sets);

}  // namespace foretrain::sim
