// The network of a scenario.
#pragma once

#include "models/networks/network_spec.h"
#include "models/networks/registry.h"
#include "scenarios/spec/measured_networks.h"

#include <string>
#include <vector>

namespace foretrain {

/// fp32, tf32, fp16, bf16, fp8.
std::vector<std::string> precision_names();
/// Bytes of an activation, of a number in a message; 4 for fp32 and tf32, else 2.
int number_bytes(const std::string& precision);

/// A CSV file of layers (layer_profile.h).
struct ProfileFile {
  std::string path{};
  std::string text{};  ///< contents of a file that `import` has not written yet; empty: read `path`

  bool operator==(const ProfileFile&) const = default;
};

/// `model:` - a network to train, by its name or as a list of layers; or a network that is only
/// forecast, from the measured times of its layers, or from their work, which its shape gives.
struct ModelSpec {
  std::string name = "softmax";
  NetworkOptions options;           ///< of the named network
  std::vector<LayerSpec> layers{};  ///< replaces the name, if not empty
  int hash_bits = 18;               ///< sparse examples: features are hashed into 2^hash_bits
  ProfileFile profile{};            ///< replaces the name, if its path is not empty
  int profile_batch = 0;  ///< batch size of the profile's times; 0: the training's batch_size
  MeasuredDevice profile_device{};  ///< device of the profile's times; not described: any
  /// Name of this network in HostSpec::measured, whose rows replace the profile; empty: none.
  std::string profile_network{};
  std::string network{};            ///< of scenarios/networks, if not empty
  std::string config{};             ///< a config.json with its shape, if not empty
  int sequence = 0;                 ///< by_shape: tokens of an example; 0: the most that it reads
  std::string precision = "bf16";   ///< of a network that is counted: one of precision_names()
  std::string attention = "fused";  ///< by_shape: fused | plain

  /// The network is known by its shape.
  [[nodiscard]] bool by_shape() const { return !network.empty() || !config.empty(); }
  /// The network is only forecast.
  [[nodiscard]] bool profiled() const { return !profile.path.empty() || by_shape(); }
  /// The name in tables: the network's name (`mlp-300-100` if its hidden layers are not the
  /// default), the profile's name, or `layers-1f3c5a70`, a hash of the layers.
  [[nodiscard]] std::string label() const;
  bool operator==(const ModelSpec&) const = default;
};

}  // namespace foretrain
