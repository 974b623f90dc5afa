// Weights of a network in a file format that other programs share.
#pragma once

#include "models/networks/network.h"

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace foretrain {

/// The weights of a network.
struct Weights {
  std::vector<float> parameters;  ///< [network.parameters()]
  std::vector<float> statistics;  ///< [network.statistics()]

  bool operator==(const Weights&) const = default;
};

/// The content of a safetensors file with these parameters and statistics. Its tensors are those of
/// models/networks/named_tensors.h. @throws InputError if the extension is not `.safetensors`
std::string weights_text(const std::filesystem::path& path, const Network& network,
                         std::span<const float> parameters, std::span<const float> statistics = {});

/// Reads such a file from any program. It has to hold exactly the tensors of the network, with
/// their shapes, as float32.
/// @throws InputError that names the file and the wrong tensor
Weights read_weights(const std::filesystem::path& path, const Network& network);

/// Rejects a path that weights_text would reject, before the training. @throws InputError
void check_weights_path(const std::filesystem::path& path);

}  // namespace foretrain
