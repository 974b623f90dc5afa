// The order of inputs as a file: inputs.bin.
#pragma once

#include "models/protocol/input_row.h"

#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

/// "FTIN", a version (4 bytes), the number of rows (8 bytes), then 48 bytes a row: time, step, id
/// (8 bytes each), node, peer, bucket (4 each), kind, kind of message (2 each), what a job took
/// (8). Little-endian, times in nanoseconds.
std::string inputs_file(const std::vector<InputRow>& rows);

/// @throws InputError naming `path`, where the text is no such file
std::vector<InputRow> parse_inputs(std::string_view text, const std::string& path);

}  // namespace foretrain
