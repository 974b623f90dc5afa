#include "scenarios/language/json_nesting.h"

namespace foretrain {

std::optional<std::size_t> nested_too_deep(std::string_view json) {
  std::size_t line = 1;
  int level = 0;
  bool text = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '\n') ++line;
    if (c == '"') text = !text;
    if (text && c == '\\') ++i;
    if (text) continue;
    if ((c == '[' || c == '{') && ++level > kMostJsonLevels) return line;
    if (c == ']' || c == '}') --level;
  }
  return std::nullopt;
}

}  // namespace foretrain
