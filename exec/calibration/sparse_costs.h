// What sparse updates cost a core beside the gradient.
#pragma once

#include "scenarios/prepared.h"

namespace foretrain::exec {

/// Seconds a byte.
struct SparseCosts {
  double merging_s = 0;  ///< of the memory that an update moves (Cost::bytes()): by how much more
                         ///< of two pushes than of one
  double coding_s = 0;   ///< of what is made, checked, answered of messages (Worked)
};

/// Of the scenario's model and data, at that batch size: pushes are made, checked, applied alone
/// and two at once, answered, as between a worker and its server, within one process and without
/// messages.
SparseCosts measure_sparse(const Case& scenario_case, int batch_size, int core,
                           DataSets& data_sets);

}  // namespace foretrain::exec
