// A case, resolved: what whoever trains it, forecasts it or measures it has to know.
#pragma once

#include "models/graph/node_memory.h"
#include "models/protocol/training.h"
#include "scenarios/resolve/case_data.h"
#include "scenarios/resolve/placement.h"
#include "scenarios/spec/scenario.h"

#include <memory>
#include <string>
#include <vector>

namespace foretrain {

struct Machine;

/// What of the data set whoever prepares a case needs.
enum class Need {
  shape,    ///< how many examples, how large: times alone are of interest
  examples  ///< the examples: gradients are carried out
};
/// Of a simulation: as `numerics:` says.
Need need_of_simulation(const Scenario& scenario);

/// Immutable. `prepare` makes it, once for a case; everything below is passed it, and asks the
/// scenario nothing that stands here.
struct Prepared {
  Case scenario_case;                        ///< as it was given
  DatasetShape dataset;                      ///< what was found of its data set
  std::shared_ptr<const Training> training;  ///< nodes, network, layout, length; data, if needed
  DataMemory data_memory;                    ///< that examples take in a worker's process
  std::vector<NodePlace> places;             ///< by node: its host; cores are not taken yet
  /// What machine files call the network: `lenet 784x10`, `lenet 784x10 threads 2`; empty: a
  /// profile.
  std::string network_key;
  /// The same with what else its costs depend on, as calibration measures them: how many entries
  /// its sparse rows have, to an eighth of a power of two; an optimizer that is not plain SGD.
  /// `lenet 784x10 adam`, `sparse_logistic 262144x2 entries 40 ftrl`
  std::string model_key;
};

/// By which of its names a machine knows the model: model_key, or else network_key, whatever it is
/// trained with. Where it knows neither: model_key.
const std::string& key_in(const Machine& machine, const Prepared& prepared);

/// Resolves a case. It costs reading headers; for Need::examples, and for sparse examples whatever
/// the need, opening the data set: once, or not at all where `data_sets` has it open.
/// @throws InputError with the place of the key that is wrong (a data set or profile that cannot be
/// read, layers that do not fit, more workers than examples, more servers than parameters, ...)
Prepared prepare(const Case& scenario_case, Need need, DataSets& data_sets);
/// As prepare, of a case alone.
Prepared prepare(const Case& scenario_case, Need need);

/// For the process of a server: others have the examples and carry gradients out. Nothing of the
/// data set is opened: `dataset` is what the launcher has found of it.
Prepared prepare_server(const Case& scenario_case, const DatasetShape& dataset);

}  // namespace foretrain
