// A JSON file of ours, or an error that says where it is none.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>

namespace foretrain {

// How an error about such a file ends.
inline constexpr std::string_view kDamagedRecord = "the record is damaged";
inline constexpr std::string_view kDamagedFile = "the file is damaged, or of another version";

/// `source`: the file that `text` is of; `verdict`: how errors end. JsonObject reads it key by key.
/// @throws InputError with the line where it is damaged
nlohmann::ordered_json parse_json(std::string_view text, const std::string& source,
                                  std::string_view verdict = kDamagedRecord);

}  // namespace foretrain
