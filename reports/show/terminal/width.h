// The width of a terminal.
#pragma once

#include <cstddef>

namespace foretrain {

/// Columns of the terminal behind a file descriptor: from COLUMNS, else from the terminal, else
/// (for a pipe) kTerminalColumns. At least 40, so that tables have room for names.
std::size_t width_of_terminal(int descriptor);

/// Whether the descriptor accepts cursor movements: it is a terminal, and TERM is not `dumb`.
bool moves_cursor(int descriptor);

}  // namespace foretrain
