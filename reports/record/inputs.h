// The file of the inputs that nodes received, for replays: inputs.bin.
#pragma once

#include "reports/record/input_row.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

// Format: "FTIN", a version (4 bytes), the number of rows (8 bytes), then 48 bytes per row: time,
// step, id (8 bytes each), node, peer, bucket (4 each), kind, kind of message (2 each), duration of
// a job (8). Little-endian, times in nanoseconds.

/// The bytes before the rows; no number means that rows are still added.
std::string inputs_head(std::optional<std::uint64_t> rows);
void append_row(std::string& text, const InputRow& row);

/// Parses the rows of a record with `nodes` nodes. Rows that no run writes are rejected, so a
/// replay can rely on them: unknown nodes, fields that the kind of input does not have, times that
/// are negative or decrease within a node, an input of a node before its start. If rows are still
/// added, an incomplete row at the end is left out, as is an incomplete head.
/// @throws InputError that names `path` if the text is not such a file
std::vector<InputRow> parse_inputs(std::string_view text, std::size_t nodes,
                                   const std::string& path);

}  // namespace foretrain
