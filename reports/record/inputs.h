// The order of inputs as a file: inputs.bin.
#pragma once

#include "reports/record/input_row.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

// "FTIN", a version (4 bytes), the number of rows (8 bytes), then 48 bytes a row: time, step, id
// (8 bytes each), node, peer, bucket (4 each), kind, kind of message (2 each), what a job took (8).
// Little-endian, times in nanoseconds.

/// What stands before the rows; no number: it is not known yet, rows are still added.
std::string inputs_head(std::optional<std::uint64_t> rows);
void append_row(std::string& text, const InputRow& row);

/// Those of a record of so many nodes. What no run writes is refused, so that whoever plays them
/// back need not be afraid of them: nodes that are not there, fields that a kind of input has not,
/// times that are negative or go back within a node, a node that begins twice or late. Of a file
/// that is still added to, half a row at its end is left out, as is half a head.
/// @throws InputError naming `path`, where the text is no such file
std::vector<InputRow> parse_inputs(std::string_view text, std::size_t nodes,
                                   const std::string& path);

}  // namespace foretrain
