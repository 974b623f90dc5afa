// Parameters of a network in a file of a format that other programs share.
#pragma once

#include "models/networks/network.h"

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace foretrain {

/// What a network has learned.
struct Weights {
  std::vector<float> parameters;  ///< [network.parameters()]
  std::vector<float> statistics;  ///< [network.statistics()]

  bool operator==(const Weights&) const = default;
};

/// What a safetensors file with these parameters, these statistics holds. Its tensors are those of
/// models/networks/named_tensors.h. @throws InputError: another extension than `.safetensors`
std::string weights_text(const std::filesystem::path& path, const Network& network,
                         std::span<const float> parameters, std::span<const float> statistics = {});

/// Out of such a file, whoever wrote it: it has each tensor of the network, with its shape, as
/// float32, and no other.
/// @throws InputError that names the file, and the tensor that is wrong
Weights read_weights(const std::filesystem::path& path, const Network& network);

/// Refuses what weights_text would, before anything is trained. @throws InputError
void check_weights_path(const std::filesystem::path& path);

}  // namespace foretrain
