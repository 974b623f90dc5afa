// Parameters of a network in a file of a format that other programs share.
#pragma once

#include "models/networks/network.h"

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace foretrain {

/// What a file with these parameters holds, by its extension: `.safetensors`, `.npz`. Its tensors
/// are those of models/networks/named_tensors.h. `parameters`: [network.parameters()].
/// @throws InputError: another extension, more than the format can hold
std::string weights_text(const std::filesystem::path& path, const Network& network,
                         std::span<const float> parameters);

/// Parameters out of such a file, whoever wrote it: it has each tensor of the network, with its
/// shape, as float32, and no other.
/// @throws InputError that names the file, and the tensor that is wrong
std::vector<float> read_weights(const std::filesystem::path& path, const Network& network);

/// Refuses what weights_text would, before anything is trained. @throws InputError
void check_weights_path(const std::filesystem::path& path);

}  // namespace foretrain
