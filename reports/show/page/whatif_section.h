// What a page shows of the answers to what if.
#pragma once

#include "reports/record/json_object.h"
#include "reports/show/page/page.h"

#include <string>

namespace foretrain {

/// What limits the training, the changes ranked by the time that they save, crossovers. `whatif` is
/// the object that `whatif --json` prints of a case. @throws InputError with the key that is wrong
Section whatif_section(const JsonObject& whatif);

/// What limits it, in one sentence.
std::string whatif_sentence(const JsonObject& whatif);

}  // namespace foretrain
