// The keys of a model, by name or layer by layer.
#pragma once

#include "models/layers/registry.h"
#include "scenarios/language/field.h"
#include "scenarios/spec/scenario.h"

namespace foretrain {

std::vector<std::string> layer_kind_names();

template <class Visitor, Described<Initializer> T>
void describe(Visitor& visit, T& init) {
  visit.field({.key = "kind", .doc = "how weights are drawn", .choices = initializer_names()},
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
               .doc = "normal: drawn again beyond two deviations",
               .used = normal,
               .unused_because = only_normal,
               .written = init.truncated},
              init.truncated);
  visit.field({.key = "bias",
               .doc = "what every bias starts from",
               .least = -1e3,
               .most = 1e3,
               .written = init.bias != 0},
              init.bias);
}

template <class Visitor, Described<LayerSpec> T>
void describe(Visitor& visit, T& layer) {
  visit.field({.key = "kind",
               .doc = "what the layer does",
               .choices = layer_kind_names(),
               .required = true},
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
      "outputs, or output channels; left out: the classes; embedding: numbers of a field's vector",
      0, 1e6);
  units.written = layer.units != 0;
  visit.field(units, layer.units);
  visit.field(
      field("size", "side of a window; average_pool: of its output; lrn: channels", 1, 4096),
      layer.size);
  Field stride =
      field("stride", "pixels from a window to the next; left out, 0: conv 1, max_pool its size", 0,
            4096);
  stride.written = layer.stride != defaults.stride;
  visit.field(stride, layer.stride);
  Field padding = field("padding", "pixels of zero added at each side", 0, 4096);
  padding.written = layer.padding != 0;
  visit.field(padding, layer.padding);
  visit.field(field("rate", "dropout: share of units dropped", 0, 1), layer.rate);
  visit.field(field("alpha", "lrn: times the mean square of the channels", 0, 1e6), layer.alpha);
  visit.field(field("beta", "lrn: exponent", 0, 10), layer.beta);
  visit.field(field("k", "lrn: what is added", 0, 1e6), layer.k);
  visit.field(field("epsilon", "batch_norm: what is added to the variance", 1e-12, 1),
              layer.epsilon);
  visit.field(field("momentum", "batch_norm: share of a batch in the running statistics", 0, 1),
              layer.momentum);
  Field from = field("from", "add: the layer whose output is added, counted back from this one: -3",
                     -4096, -2);
  from.written = layer.from != 0;
  visit.field(from, layer.from);
  visit.section({.key = "init",
                 .doc = "what its parameters start from",
                 .used = kind == nullptr || kind->uses("init"),
                 .unused_because = "this kind of layer has no parameters",
                 .written = layer.init != defaults.init,
                 .shorthand = "kind"},
                layer.init);
}

template <class Visitor, Described<MeasuredDevice> T>
void describe(Visitor& visit, T& device) {
  visit.field({.key = "gflops",
               .doc = "10^9 operations a second, as its data sheet says",
               .above = 0,
               .most = 1e9,
               .required = true},
              device.gflops);
  visit.field({.key = "memory_bandwidth",
               .doc = "rate at which it moves memory; left out: never the bound",
               .least = 0,
               .most = 1e15,
               .written = device.memory_bandwidth.value > 0},
              device.memory_bandwidth);
}

template <class Visitor, Described<ModelSpec> T>
void describe(Visitor& visit, T& model) {
  visit.list({.key = "layers",
              .doc = "from the input to the classes; instead of a name",
              .written = !model.layers.empty(),
              .shorthand = "kind"},
             model.layers);
  visit.field({.key = "profile",
               .doc = "a CSV file: layer, parameter_bytes, forward_ms, backward_ms, and tensors "
                      "where a layer has several; to forecast only",
               .used = model.layers.empty(),
               .unused_because = "the layers say what the network is",
               .written = model.profiled()},
              model.profile);
  visit.field({.key = "profile_batch",
               .doc = "examples that the profile was measured with; left out: training.batch_size",
               .least = 1,
               .most = 1e7,
               .used = model.profiled(),
               .unused_because = "only a profile was measured at some batch size",
               .written = model.profile_batch > 0},
              model.profile_batch);
  visit.section({.key = "profile_device",
                 .doc = "what the device can do that the profile was measured on: times of hosts "
                        "whose `device` is described follow; left out: they are as measured",
                 .used = model.profiled(),
                 .unused_because = "only a profile was measured on some device",
                 .written = model.profile_device.described()},
                model.profile_device);
  visit.field({.key = "profile_network",
               .doc = "what `measured` of hosts calls the network: there a gradient takes what was "
                      "measured, layers their shares of it; left out: as the profile says",
               .used = model.profiled(),
               .unused_because = "only a profile has shares of layers",
               .written = !model.profile_network.empty()},
              model.profile_network);
  const bool named = model.layers.empty() && !model.profiled();
  visit.field({.key = "name",
               .doc = "a network that the program knows",
               .choices = network_names(),
               .used = named,
               .unused_because = "layers, or a profile, say what the network is"},
              model.name);
  const bool mlp = named && model.name == "mlp";
  visit.field({.key = "hidden",
               .doc = "mlp: units of each hidden layer",
               .least = 1,
               .most = 1e6,
               .used = mlp,
               .unused_because = "only mlp has hidden layers to choose",
               .indices = false},
              model.options.hidden);
  const LayerKind* first =
      model.layers.empty() ? nullptr : find_layer_kind(model.layers.front().kind);
  const bool sparse = named ? model.name == "sparse_logistic" : first != nullptr && first->sparse;
  visit.field({.key = "hash_bits",
               .doc = "sparse examples: features are hashed into 2^hash_bits",
               .least = 1,
               .most = 30,
               .used = sparse,
               .unused_because = "only a sparse model hashes features"},
              model.hash_bits);
}

}  // namespace foretrain
