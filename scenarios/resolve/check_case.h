// The rules between the keys of a scenario.
#pragma once

#include "scenarios/language/reader.h"
#include "scenarios/resolve/case_data.h"
#include "scenarios/resolve/rules.h"
#include "scenarios/spec/scenario.h"

#include <optional>
#include <string>

namespace foretrain {

/// Checks a case whose values each satisfy their own rules, then completes it: one epoch if no
/// length is given; stragglers and faults of nodes that the case does not have are removed (a sweep
/// may vary the number of nodes; `reading` reports an error only if no case has them); the
/// placement gets the length that the strategy needs. @throws InputError
void check_case(Case& scenario_case, Reading& reading);

/// Checks `measured:` of hosts: no batch size may occur twice, and at least one host has to know
/// `model.profile_network`. Removes the rows that do not count, so that a case does not change if
/// other networks are added to them.
void check_measured(Case& scenario_case);

/// Checks `faults:`. Everything else has to be checked already.
void check_faults(Case& scenario_case, Reading& reading);

/// Rejects more workers than the data set has examples. @throws InputError
void check_examples(const Case& scenario_case, const DatasetShape& shape);

/// Rejects what `network` is too small for or cannot do, and a profile whose times overflow the
/// clock. @throws InputError
void check_network(const Case& scenario_case, const DatasetShape& shape, const Network& network);

/// Batch size that the times of a profile were measured with.
int profile_batch(const Scenario& scenario);

/// Rejects what a run supports but a forecast does not: messages through `transport.shared_memory`,
/// because their cost is not measured. @throws InputError
void check_forecastable(const Case& scenario_case);

/// The first key that cannot be combined with sharded gradients or parameters, with the reason as a
/// clause; nothing if sharding is allowed or not asked for.
std::optional<BrokenRule> against_shard(const Scenario& scenario);

/// @throws InputError with the place of `key` in the case, the key, and `what` is wrong
[[noreturn]] void fail(const Case& c, const std::string& key, const std::string& what);

/// Checks everything that a run or a simulation of the case would reject before it begins: machine
/// files, straggler traces, the data set, the shapes of layers, a profile, initial weights,
/// neighbours. Image shapes come from headers and file lengths; sparse text is read.
/// @throws InputError with the place of the key that names the file
void check_named(const Case& scenario_case, DataSets& data_sets);

}  // namespace foretrain
