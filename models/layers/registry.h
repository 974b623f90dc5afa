// The kinds of layers by name.
#pragma once

#include "models/data/dataset.h"
#include "models/layers/layer.h"
#include "models/layers/layer_spec.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

/// Which fields of a LayerSpec a kind uses, besides `kind`; for messages, for reading.
struct LayerKind {
  std::string_view name;
  std::vector<std::string_view> fields;

  [[nodiscard]] bool uses(std::string_view field) const;
};

const std::vector<LayerKind>& layer_kinds();
/// The kind called `name`, or null.
const LayerKind* find_layer_kind(std::string_view name);

/// The layer that `spec` describes, between what `input` says of the examples (the first layer), or
/// `before` (any other), with a rectifier behind it where `relu`. Null where it has nothing to do
/// (flatten, a pool that keeps the size, a dropout that drops nothing).
/// @throws NetworkError, naming layer `number`
std::unique_ptr<const Layer> make_layer(const LayerSpec& spec, int number, const InputShape& input,
                                        Shape before, bool relu);
/// Whether a relu that follows this kind can be part of it.
bool fuses_relu(std::string_view kind);

}  // namespace foretrain
