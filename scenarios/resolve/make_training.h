// The training of a case, once its data set is known.
#pragma once

#include "models/protocol/training.h"
#include "scenarios/resolve/case_data.h"
#include "scenarios/spec/scenario.h"
#include "scenarios/weights/weights.h"

#include <memory>
#include <optional>

namespace foretrain {

/// `numerics`: gradients are carried out, here or elsewhere. Only `prepare` calls this.
/// @throws InputError at the scenario's key (layers that do not fit, a profile that cannot be read,
/// more workers than examples, more servers than parameters, ...)
std::shared_ptr<const Training> make_training(const Case& scenario_case, const CaseData& data,
                                              bool numerics);

/// The weights that it starts from, as `training.init.from` has them; nothing: they are drawn.
/// @throws InputError at that key
std::optional<Weights> start_of(const Case& c, const Network& network);

/// How the parameters of `training`, whose network and workers are known, are cut into what travels
/// as one message where there are so many `servers`; 0: none.
Layout layout_of(const Scenario& scenario, const Training& training, int servers);

}  // namespace foretrain
