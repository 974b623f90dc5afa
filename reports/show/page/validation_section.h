// What a page shows of a validation.
#pragma once

#include "reports/show/page/page.h"

#include <nlohmann/json_fwd.hpp>

namespace foretrain {

/// Predicted against measured with error by strategy, goals, strategies, a row a case; all of each
/// case where they are few. `validation` is what validation.json holds.
/// @throws nlohmann::json::exception where it is something else
Section validation_section(const nlohmann::ordered_json& validation);

}  // namespace foretrain
