// A resolved case: the common input of training, forecasting, calibration.
#pragma once

#include "models/graph/node_memory.h"
#include "models/protocol/training.h"
#include "scenarios/resolve/case_data.h"
#include "scenarios/resolve/counted_network.h"
#include "scenarios/resolve/placement.h"
#include "scenarios/spec/scenario.h"

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace foretrain {

struct Machine;

/// The part of the data set that a caller of `prepare` needs.
enum class Need {
  shape,    ///< number and size of the examples, for times only
  examples  ///< the examples, for computing gradients
};
/// The need of a simulation: examples if `numerics:` is on.
Need need_of_simulation(const Scenario& scenario);

/// Immutable. `prepare` makes it once per case. Later code gets it as an argument and does not read
/// these facts from the scenario again.
struct Prepared {
  Case scenario_case;                             ///< as given
  DatasetShape dataset;                           ///< facts about its data set
  std::shared_ptr<const CountedNetwork> counted;  ///< null if its network is not counted
  std::shared_ptr<const Training> training;  ///< nodes, network, layout, length; data if needed
  DataMemory data_memory;                    ///< memory of the examples in a worker's process
  std::vector<NodePlace> places;             ///< by node: its host; cores are not assigned yet
  /// The network's name in machine files: `lenet 784x10`, `lenet 784x10 threads 2`; empty for a
  /// profile.
  std::string network_key;
  /// The network's name with everything else that its measured costs depend on: the number of
  /// entries in sparse rows, rounded to eighths of a power of two; an optimizer other than plain
  /// SGD. `lenet 784x10 adam`, `sparse_logistic 262144x2 entries 40 ftrl`
  std::string model_key;
};

/// The key under which the machine has the model's costs: model_key, or else network_key, which
/// ignores the optimizer. model_key if it has neither.
const std::string& key_in(const Machine& machine, const Prepared& prepared);

/// Resolves a case. It reads headers; it opens the data set for Need::examples or if the examples
/// are sparse, unless `data_sets` has it open already.
/// @throws InputError with the place of the key that is wrong (a data set or profile that cannot be
/// read, layers that do not fit, more workers than examples, more servers than parameters, ...)
Prepared prepare(const Case& scenario_case, Need need, DataSets& data_sets);
/// As prepare, for a single case.
Prepared prepare(const Case& scenario_case, Need need);

/// For a server's process, which does not compute gradients. Opens no data set: `dataset` is what
/// the launcher found.
Prepared prepare_server(const Case& scenario_case, const DatasetShape& dataset);

/// Price per hour of the named hosts; 0 if no price is given. All hosts of a cluster have the same
/// currency, which check_case.h has checked.
Price price_per_hour(const Scenario& scenario, const std::set<std::string>& hosts);

/// Price per hour of the hosts that have a node of the training or ship its batches.
Price price_per_hour(const Prepared& prepared);

}  // namespace foretrain
