// Lines of comma-separated values that other programs wrote.
#pragma once

#include <string_view>
#include <vector>

namespace foretrain {

/// The cells of a line, each without the blanks around it (the carriage return of a line's end
/// among them) and without double quotes. No comma may stand in a quoted cell. Views of `line`.
std::vector<std::string_view> cells_of(std::string_view line);

}  // namespace foretrain
