// Scenarios that tests share, built without a file.
#pragma once

#include "reports/record/record.h"
#include "scenarios/spec/machine.h"
#include "scenarios/spec/scenario.h"
#include "sim/driver/simulate.h"

#include <string>

namespace foretrain::testing {

/// A short training of softmax on drawn digits: 600 images to learn from, 200 to be judged by.
Case small_case(const std::string& strategy, int workers, std::int64_t steps);

/// Workers and one server on hosts of their own around a switch; every gradient takes `compute`,
/// and nothing else costs CPU. Numerics off. The NICs are so fast that messages take no time.
Case star_case(const std::string& strategy, int workers, std::int64_t steps, Duration compute);

/// Bytes on the wire of one message that carries all parameters of `star_case` or `small_case`.
Bytes message_size();

/// The NIC through which such a message takes so long.
BytesPerSecond rate_for(double seconds);

/// A machine whose every figure is made up: 100 us + 2 us an example, messages of about 10 us.
Machine made_up_machine();
/// The same, of whatever model: `Prepared::model_key`.
Machine made_up_machine(const std::string& model_key);

/// Simulates without rows of usage; every machine is `made_up_machine`.
Record simulate(const Case& scenario_case, const sim::Variant& variant = {});

/// The same with other options: prepared as `foretrain simulate` does it.
Record simulate(const Case& scenario_case, const sim::SimulateOptions& options);

/// Mean length of a worker's step over the record, s.
double mean_step_s(const Record& record);

}  // namespace foretrain::testing
