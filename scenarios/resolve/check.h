// What must hold between the keys of a scenario.
#pragma once

#include "scenarios/language/reader.h"
#include "scenarios/resolve/case_data.h"
#include "scenarios/resolve/rules.h"
#include "scenarios/spec/scenario.h"

#include <optional>
#include <string>

namespace foretrain {

/// Checks a case whose values are each within their rules, then makes it whole: one epoch where no
/// length is given; no straggler, no fault on nodes that the case does not have (a sweep may vary
/// their number: an error only where no case has them, which `reading` finds out); a placement as
/// long as the strategy needs. @throws InputError
void check_case(Case& scenario_case, Reading& reading);

/// Its part for `measured:` of hosts: no batch size twice, and `model.profile_network` is known to
/// one of them. Takes the rows away that do not count, so that a case is the same whatever else is
/// known.
void check_measured(Case& scenario_case);

/// Its part for `faults:`, when all else is known to be right.
void check_faults(Case& scenario_case, Reading& reading);

/// Refuses more workers than the data set has examples. @throws InputError
void check_examples(const Case& scenario_case, const DatasetShape& shape);

/// Refuses what `network` is too small for or cannot do, and a profile whose times no clock could
/// count. @throws InputError
void check_network(const Case& scenario_case, const DatasetShape& shape, const Network& network);

/// Batch size that the times of a profile were measured with.
int profile_batch(const Scenario& scenario);

/// Refuses what runs can have, forecasts not: messages through `transport.shared_memory`, whose
/// costs nobody measures. @throws InputError
void check_forecastable(const Case& scenario_case);

/// The first key that cannot be used while gradients or parameters are sharded, with a clause that
/// says why; nothing if the scenario does not shard, or may.
std::optional<BrokenRule> against_shard(const Scenario& scenario);

/// @throws InputError with the place of `key` in the case, the key, and `what` is wrong
[[noreturn]] void fail(const Case& c, const std::string& key, const std::string& what);

/// What a run or a simulation of the case would refuse before it begins: machine files, traces of
/// stragglers, the data set, the shapes of layers, a profile, weights to start from, neighbours.
/// Headers and lengths of files tell the shape of images; sparse text is read.
/// @throws InputError with the place of the key that names it
void check_named(const Case& scenario_case, DataSets& data_sets);

}  // namespace foretrain
