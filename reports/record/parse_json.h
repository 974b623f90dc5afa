// A file of a record that is JSON, or says where it is none.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>

namespace foretrain {

/// `source`: the file that `text` is of. @throws InputError with the line where it is damaged
nlohmann::ordered_json parse_json(std::string_view text, const std::string& source);

}  // namespace foretrain
