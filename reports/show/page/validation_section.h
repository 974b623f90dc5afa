// What a page shows of a validation.
#pragma once

#include "reports/record/json_object.h"
#include "reports/show/page/page.h"

namespace foretrain {

/// Predicted against measured with error by strategy, goals, strategies, a row a case; all of each
/// case where they are few. `validation` is what validation.json holds.
/// @throws InputError with the key that is wrong
Section validation_section(const JsonObject& validation);

}  // namespace foretrain
