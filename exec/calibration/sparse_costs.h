// What sparse updates cost a core beside the gradient.
#pragma once

#include "scenarios/prepared.h"

namespace foretrain::exec {

/// Seconds a byte of what is made, checked, answered of messages (Worked). Of the scenario's model
/// and data, at that batch size: pushes are made, checked, applied, answered, as between a worker
/// and its server, within one process and without messages.
double measure_coding(const Case& scenario_case, int batch_size, int core, DataSets& data_sets);

}  // namespace foretrain::exec
