// Layer profiles of networks, with measured times.
#pragma once

#include "models/networks/network_spec.h"
#include "scenarios/spec/scenario.h"

#include <string>

namespace foretrain {

/// Reads a table of comma-separated values, its columns in any order:
///
///     layer,parameter_bytes,forward_ms,backward_ms
///     conv1,37632,1.92,3.80
///
/// A row is a layer; rows go from the input to the loss. `parameter_bytes` is 4 per parameter, 2 in
/// half precision, rounded up to whole floats; 0 for a layer without parameters. The optional
/// column `tensors` gives the number of tensors that hold the parameters; the default is one. A
/// table of work has other columns in place of bytes and times, for
/// the forward pass of the batch, all needed (LayerWork; scenarios/import/foretrain_profile.py):
///
///     layer,parameters,tensors,product_gflop,edge_mflop,attention_gflop,moved_mb,kept_mb
///
/// A cell may be in double quotes. Blank lines and lines that begin with `#` are skipped.
/// `batch_size`: number of examples of the measured times.
/// @throws InputError that names file, line, column: a column or number that is missing, unknown or
/// negative; no layer, or none with parameters; more than 1e6 s in all
NetworkProfile read_profile(const ProfileFile& file, int batch_size);
/// As read_profile, from text; `source` replaces the file name in messages.
NetworkProfile parse_profile(const std::string& text, const std::string& source, int batch_size);

}  // namespace foretrain
