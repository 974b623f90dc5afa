// A recorded training again: in the order of its inputs, or by the times of its jobs.
#pragma once

#include "reports/record/record.h"
#include "scenarios/resolve/case_data.h"

namespace foretrain::sim {

/// Feeds every node the inputs that `recorded` says it had, in that order, each as soon as the
/// message or the job that it stands for exists; nothing takes time, nodes are told the recorded
/// times. So whatever the strategy, the weights are those of the recorded run, bit for bit.
///
/// A run that went on from checkpoints goes to each of them, then on from the states that its nodes
/// have there; what was lost is left out.
///
/// Returns the record of what the nodes reported, with the recorded times. Of a run that was not
/// done it goes as far as the inputs, and is interrupted there.
/// @throws InputError where the record has no inputs, or no such training could have made them;
/// NotDone where a signal came meanwhile (reports/record/interruption.h)
Record replay(const Record& recorded);

/// Whether `recorded` says what its jobs took: a run that was asked to (RunOptions::job_times).
bool has_job_times(const Record& recorded);

/// The case to simulate where jobs take what a run recorded of them (SimulateOptions::recorded).
/// Nobody asks what is learned then: without numerics, but where sizes of messages or the end of
/// the training depend on values.
Case case_of_times(const Case& scenario_case, DataSets& data_sets);

}  // namespace foretrain::sim
