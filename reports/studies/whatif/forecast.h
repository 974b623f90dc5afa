// A simulated training with its bottleneck.
#pragma once

#include "reports/record/record.h"
#include "reports/studies/whatif/whatif_data.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace foretrain {

/// The bottleneck of a training as it is, without the changes that WhatIf tries.
struct Forecast {
  Record record;
  double path_s = 0;       ///< length of the critical path; 0 without one, like all fields below
  bool path_whole = true;  ///< false: the path covers the beginning of a long training
  double queued = 0;       ///< share of the path spent waiting for a core, 0 to 1
  Limit limit;             ///< its `change` is empty
  std::vector<PathShare> path;  ///< largest first
};

/// The bottleneck in one sentence; if the training was not completed, the reason.
std::string first_sentence(const Forecast& forecast);

/// `record` as by `simulate --json`; `limit`, `path`, ... as by `whatif --json`.
nlohmann::ordered_json to_json(const Forecast& forecast);

}  // namespace foretrain
