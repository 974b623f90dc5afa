// Profiles of somebody else's network: what its layers have, what they took.
#pragma once

#include "models/networks/network_spec.h"

#include <string>

namespace foretrain {

/// Reads a table of comma-separated values, its columns in any order:
///
///     layer,parameter_bytes,forward_ms,backward_ms
///     conv1,37632,1.92,3.80
///
/// A row is a layer, from the input to the loss. `parameter_bytes`: 4 a parameter, 2 in half
/// precision, rounded up to whole floats; 0 for a layer without parameters. A column `tensors`,
/// which may be left out, says in how many tensors they lie, else in one. A cell may stand in
/// double quotes, blank lines and those that begin with `#` are passed over. `batch_size`: examples
/// that the times are of.
/// @throws InputError that names file, line, column (a column or a number that is missing, unknown,
/// negative; no layer, or none that has parameters; more than 1e6 s in all)
NetworkProfile read_profile(const std::string& path, int batch_size);
/// As read_profile, from text; `source` stands for the file's name in messages.
NetworkProfile parse_profile(const std::string& text, const std::string& source, int batch_size);

}  // namespace foretrain
