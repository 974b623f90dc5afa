// How wide a terminal is.
#pragma once

#include <cstddef>

namespace foretrain {

/// Columns of the terminal behind a file descriptor: as COLUMNS says, else as the terminal itself;
/// kTerminalColumns where neither knows, as of a pipe. 40 at least, so that a table has room for
/// its names.
std::size_t width_of_terminal(int descriptor);

/// Whether that takes what moves its cursor: a terminal, and no dumb one.
bool moves_cursor(int descriptor);

}  // namespace foretrain
