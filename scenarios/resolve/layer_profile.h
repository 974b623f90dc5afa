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
/// half precision, rounded up to whole floats; 0 for a layer without parameters. Optional columns:
///
///     tensors                       number of tensors that hold the parameters; default: one
///     update_ms                     the optimizer's time, on the device; unused if servers update
///     forward_ms@8,backward_ms@8    times of a second batch, here of 8 examples: other batches lie
///                                   on the line through both (ProfiledLayer)
///
/// A table of work has other columns in place of bytes and times, for the forward pass of the
/// batch, all needed (LayerWork; scenarios/import/foretrain_profile.py):
///
///     layer,parameters,tensors,product_gflop,edge_mflop,attention_gflop,moved_mb,kept_mb
///
/// A cell may be in double quotes. Blank lines and lines that begin with `#` are skipped.
/// `batch_size`: number of examples of the times without @.
/// @throws InputError that names file, line, column: a column or number that is missing, unknown or
/// negative; no layer, or none with parameters; more than 1e6 s in all
NetworkProfile read_profile(const ProfileFile& file, int batch_size);
/// As read_profile, from text; `source` replaces the file name in messages.
NetworkProfile parse_profile(const std::string& text, const std::string& source, int batch_size);

}  // namespace foretrain
