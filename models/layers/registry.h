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

/// Which fields of a LayerSpec a kind uses, besides `kind`; for messages, for reading.
struct LayerKind {
  std::string_view name;
  std::vector<std::string_view> fields;
  bool sparse = false;  ///< it reads sparse examples, so it is the first layer

  [[nodiscard]] bool uses(std::string_view field) const;
};

const std::vector<LayerKind>& layer_kinds();
/// The kind called `name`, or null.
const LayerKind* find_layer_kind(std::string_view name);

/// What a line of a network makes, for those behind it.
struct LineOutput {
  Shape shape;
  int layer = -1;  ///< of Network::layers(), whose output it is; -1: the examples
};

/// What a layer is made between.
struct LayerPlace {
  int number = 0;                         ///< its line, counted from 0
  const InputShape& input;                ///< of the examples: what the first layer reads
  Shape before;                           ///< what any other reads
  std::span<const LineOutput> earlier{};  ///< by line
};

/// The layer that `spec` describes, with a rectifier behind it where `relu`. Null where it has
/// nothing to do (flatten, a pool that keeps the size, a dropout that drops nothing).
/// @throws NetworkError, naming its line
std::unique_ptr<const Layer> make_layer(const LayerSpec& spec, const LayerPlace& place, bool relu);
/// Whether a relu that follows this kind can be part of it.
bool fuses_relu(std::string_view kind);
/// Whether a relu before this layer can be part of it: behind it the numbers are the same.
bool takes_relu_before(const LayerSpec& spec);

}  // namespace foretrain
