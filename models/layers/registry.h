// The kinds of layers by name.
#pragma once

#include "models/data/dataset.h"
#include "models/layers/layer.h"
#include "models/layers/layer_spec.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

/// The fields of a LayerSpec that a kind uses, besides `kind`; for messages and for reading.
struct LayerKind {
  std::string_view name;
  std::vector<std::string_view> fields;
  bool sparse = false;  ///< reads sparse examples, so it is the first layer

  [[nodiscard]] bool uses(std::string_view field) const;
};

const std::vector<LayerKind>& layer_kinds();
/// The kind named `name`, or null.
const LayerKind* find_layer_kind(std::string_view name);

/// The output of a line of a network, for later lines.
struct LineOutput {
  Shape shape;
  int layer = -1;  ///< index in Network::layers() of the layer that computes it; -1: the examples
};

/// The place in a network at which a layer is made.
struct LayerPlace {
  int number = 0;                         ///< index of its line
  const InputShape& input;                ///< examples, which the first layer reads
  Shape before;                           ///< input of any other layer
  std::span<const LineOutput> earlier{};  ///< by line
};

/// The layer that `spec` describes, followed by a rectifier if `relu`. Null if it has nothing to do
/// (flatten, a pool that keeps the size, a dropout that drops nothing).
/// @throws NetworkError, naming its line
std::unique_ptr<const Layer> make_layer(const LayerSpec& spec, const LayerPlace& place, bool relu);
/// A relu after this kind can be part of it.
bool fuses_relu(std::string_view kind);
/// A relu before this layer can be part of it: after the layer the numbers are the same.
bool takes_relu_before(const LayerSpec& spec);

}  // namespace foretrain
