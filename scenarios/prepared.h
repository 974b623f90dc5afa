// A case, resolved: what whoever trains it, forecasts it or measures it has to know.
#pragma once

#include "models/graph/node_memory.h"
#include "models/protocol/training.h"
#include "scenarios/case_data.h"
#include "scenarios/placement.h"
#include "scenarios/scenario.h"

#include <memory>
#include <string>
#include <vector>

namespace foretrain {

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
  std::string model_key;                     ///< what machine files call the model: `lenet 784x10`,
                                             ///< `lenet 784x10 threads 2`; empty: a profile
};

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
