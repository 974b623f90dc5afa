// A simulated training beside what limits it.
#pragma once

#include "reports/record/record.h"
#include "reports/studies/whatif/whatif.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace foretrain {

/// What WhatIf says of a training as it is, without any change.
struct Forecast {
  Record record;
  double path_s = 0;            ///< length of the critical path; the rest is empty where none is
  bool path_whole = true;       ///< false: of the beginning of a long training
  double queued = 0;            ///< its part that waited for a core, 0 to 1
  Limit limit;                  ///< without a change that would help
  std::vector<PathShare> path;  ///< the largest first
};

/// What limits it, in one sentence; why it ended where it was not done.
std::string first_sentence(const Forecast& forecast);

/// `record`: what `simulate --json` prints; `limit`, `path`, ... as `whatif --json` has them.
nlohmann::ordered_json to_json(const Forecast& forecast);

}  // namespace foretrain
