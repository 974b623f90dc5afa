// The training of a case, once its data set is known.
#pragma once

#include "models/protocol/training.h"
#include "scenarios/resolve/case_data.h"
#include "scenarios/resolve/counted_network.h"
#include "scenarios/spec/scenario.h"
#include "scenarios/weights/weights.h"

#include <memory>
#include <optional>

namespace foretrain {

/// `counted`: null if its network is not counted. `numerics`: gradients are computed, by this
/// process or another. Only `prepare` calls this.
/// @throws InputError at the scenario's key (layers that do not fit, a profile that cannot be read,
/// more workers than examples, more servers than parameters, ...)
std::shared_ptr<const Training> make_training(const Case& scenario_case, const CaseData& data,
                                              const CountedNetwork* counted, bool numerics);

/// The initial weights in the file `training.init.from`; nothing if they are drawn.
/// @throws InputError at that key
std::optional<Weights> start_of(const Case& c, const Network& network);

/// How the parameters of `training` are cut into messages with this many `servers`, 0 if none. Its
/// network and workers have to be known.
Layout layout_of(const Scenario& scenario, const Training& training, int servers);

}  // namespace foretrain
