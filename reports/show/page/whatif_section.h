// What a page shows of the answers to what if.
#pragma once

#include "reports/show/page/page.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace foretrain {

/// What limits the training, the sentence of `whatif --json`; empty where it has none.
std::string whatif_sentence(const nlohmann::ordered_json& whatif);

/// What limits the training, the changes ranked by the time that they save, crossovers. `whatif` is
/// what `whatif --json` prints. @throws nlohmann::json::exception where it is something else
Section whatif_section(const nlohmann::ordered_json& whatif);

}  // namespace foretrain
