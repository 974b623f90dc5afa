#include "reports/record/parse_json.h"

#include "scenarios/input_error.h"
#include "scenarios/json_nesting.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ios>
#include <sstream>

namespace foretrain {
namespace {

using Json = nlohmann::ordered_json;

/// At which line the parser stops. Not all of its exceptions say it: a stream does.
std::int64_t line_of_error(std::string_view text) {
  std::istringstream stream{std::string(text)};
  try {
    const Json unused = Json::parse(stream);
  } catch (const Json::exception&) {
    const std::streamoff read = stream.rdbuf()->pubseekoff(0, std::ios::cur, std::ios::in);
    const std::streamoff before = std::max<std::streamoff>(read - 1, 0);  // it looks one further
    return 1 + std::ranges::count(text.substr(0, static_cast<std::size_t>(before)), '\n');
  }
  return 1;
}

}  // namespace

Json parse_json(std::string_view text, const std::string& source) {
  if (const auto line = nested_too_deep(text)) {
    throw InputError(fmt::format("{}:{}: nested too deep; the record is damaged", source, *line));
  }
  try {
    return Json::parse(text);
  } catch (const Json::parse_error&) {
    throw InputError(
        fmt::format("{}:{}: is not JSON; the record is damaged", source, line_of_error(text)));
  } catch (const Json::out_of_range&) {
    throw InputError(fmt::format("{}:{}: a number is too large; the record is damaged", source,
                                 line_of_error(text)));
  }
}

}  // namespace foretrain
