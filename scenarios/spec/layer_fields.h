// The keys of a layer.
#pragma once

#include "models/layers/registry.h"
#include "scenarios/language/field.h"

#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

std::vector<std::string> layer_kind_names();

template <class Visitor, Described<Initializer> T>
void describe(Visitor& visit, T& init) {
  visit.field(
      {.key = "kind", .doc = "distribution of the initial weights", .choices = initializer_names()},
      init.kind);
  const bool normal = init.kind == "normal";
  const std::string_view only_normal = "only kind normal has a deviation of its own";
  visit.field({.key = "deviation",
               .doc = "normal: standard deviation",
               .least = 0,
               .most = 1e3,
               .used = normal,
               .unused_because = only_normal,
               .written = init.deviation != Initializer{}.deviation},
              init.deviation);
  visit.field({.key = "truncated",
               .doc = "normal: values beyond two standard deviations are drawn again",
               .used = normal,
               .unused_because = only_normal,
               .written = init.truncated},
              init.truncated);
  visit.field({.key = "bias",
               .doc = "initial value of every bias",
               .least = -1e3,
               .most = 1e3,
               .written = init.bias != 0},
              init.bias);
}

template <class Visitor, Described<LayerSpec> T>
void describe(Visitor& visit, T& layer) {
  visit.field(
      {.key = "kind", .doc = "kind of layer", .choices = layer_kind_names(), .required = true},
      layer.kind);
  const LayerKind* kind = find_layer_kind(layer.kind);
  const auto field = [&](std::string_view key, std::string_view doc, double least, double most) {
    return Field{.key = key,
                 .doc = doc,
                 .least = least,
                 .most = most,
                 .used = kind == nullptr || kind->uses(key),
                 .unused_because = "this kind of layer has no such setting"};
  };
  const LayerSpec defaults;
  Field units = field(
      "units",
      "number of outputs or output channels; left out: number of classes; embedding: length of a "
      "field's vector",
      0, 1e6);
  units.written = layer.units != 0;
  visit.field(units, layer.units);
  visit.field(
      field("size", "side of the window; average_pool: of the output; lrn: channels", 1, 4096),
      layer.size);
  Field stride =
      field("stride", "pixels from a window to the next; left out, 0: conv 1, max_pool its size", 0,
            4096);
  stride.written = layer.stride != defaults.stride;
  visit.field(stride, layer.stride);
  Field padding = field("padding", "zero pixels added at each side", 0, 4096);
  padding.written = layer.padding != 0;
  visit.field(padding, layer.padding);
  visit.field({.key = "bias",
               .doc = "conv: it adds a bias; off: before a batch_norm, which would subtract it",
               .used = kind == nullptr || kind->uses("bias"),
               .unused_because = "only conv can be without a bias",
               .written = !layer.bias},
              layer.bias);
  visit.field(field("rate", "dropout: share of units dropped", 0, 1), layer.rate);
  visit.field(field("alpha", "lrn: factor of the mean square of the channels", 0, 1e6),
              layer.alpha);
  visit.field(field("beta", "lrn: exponent", 0, 10), layer.beta);
  visit.field(field("k", "lrn: constant that is added", 0, 1e6), layer.k);
  visit.field(field("epsilon", "batch_norm: constant added to the variance", 1e-12, 1),
              layer.epsilon);
  visit.field(field("momentum", "batch_norm: weight of a batch in the running statistics", 0, 1),
              layer.momentum);
  Field from = field("from", "add: the layer whose output is added, counted back from this one: -3",
                     -4096, -2);
  from.written = layer.from != 0;
  visit.field(from, layer.from);
  visit.section({.key = "init",
                 .doc = "initial values of its parameters",
                 .used = kind == nullptr || kind->uses("init"),
                 .unused_because = "this kind of layer has no parameters",
                 .written = layer.init != defaults.init,
                 .shorthand = "kind"},
                layer.init);
}

}  // namespace foretrain
