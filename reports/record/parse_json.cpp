// Parses JSON files of foretrain; errors name the line.
#include "reports/record/json_object.h"
#include "scenarios/language/file_errors.h"
#include "scenarios/language/input_error.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <ios>
#include <sstream>
#include <string>

namespace foretrain {
namespace {

using Json = nlohmann::ordered_json;

/// Line at which the parser stops, from its stream position: not all of its exceptions have it.
std::size_t line_of_error(std::string_view text) {
  std::istringstream stream{std::string(text)};
  if (Json::accept(stream)) return 1;
  const std::streamoff read = stream.rdbuf()->pubseekoff(0, std::ios::cur, std::ios::in);
  const std::streamoff before = std::max<std::streamoff>(read - 1, 0);  // it reads one ahead
  const auto ends = std::ranges::count(text.substr(0, static_cast<std::size_t>(before)), '\n');
  return 1 + static_cast<std::size_t>(ends);
}

}  // namespace

Json parse_json(std::string_view text, const std::string& source, std::string_view verdict) {
  const auto wrong = [&](std::size_t line, const char* what) {
    return InputError(fmt::format("{}:{}: {}; {}", source, line, what, verdict));
  };
  if (const auto line = nested_too_deep(text)) throw wrong(*line, "nested too deep");
  try {
    return Json::parse(text);
  } catch (const Json::out_of_range&) {
    throw wrong(line_of_error(text), "a number is too large");
  } catch (const Json::parse_error&) {
    throw wrong(line_of_error(text), "is not JSON");
  }
}

}  // namespace foretrain
