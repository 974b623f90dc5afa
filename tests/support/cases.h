// Shared scenarios of tests, built without a file.
#pragma once

#include "reports/record/record.h"
#include "scenarios/spec/machine.h"
#include "scenarios/spec/scenario.h"
#include "sim/driver/simulate.h"

#include <string>

namespace foretrain::testing {

/// A short training of softmax on drawn digits: 600 training images, 200 test images.
Case small_case(const std::string& strategy, int workers, std::int64_t steps);

/// Workers and one server, each on its own host around a switch. Every gradient takes `compute`;
/// nothing else costs CPU time. Numerics are off. The NICs are so fast that messages take no time.
Case star_case(const std::string& strategy, int workers, std::int64_t steps, Duration compute);

/// Bytes on the wire of a message with all parameters of `star_case` or `small_case`.
Bytes message_size();

/// The NIC rate at which such a message takes this long.
BytesPerSecond rate_for(double seconds);

/// A machine with made-up figures: 100 us + 2 us per example, about 10 us per message.
Machine made_up_machine();
/// The same for any model: `Prepared::model_key`.
Machine made_up_machine(const std::string& model_key);

/// Simulates without usage rows; every machine is `made_up_machine`.
Record simulate(const Case& scenario_case, const sim::Variant& variant = {});

/// The same with other options, prepared as `foretrain simulate` does.
Record simulate(const Case& scenario_case, const sim::SimulateOptions& options);

/// Mean duration of a worker's steps in the record, in seconds.
double mean_step_s(const Record& record);

}  // namespace foretrain::testing
