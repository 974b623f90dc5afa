// The keys of a model, by name or layer by layer.
#pragma once

#include "models/layers/registry.h"
#include "scenarios/language/field.h"
#include "scenarios/spec/layer_fields.h"
#include "scenarios/spec/scenario.h"

namespace foretrain {

template <class Visitor, Described<MeasuredDevice> T>
void describe(Visitor& visit, T& device) {
  visit.field({.key = "gflops",
               .doc = "10^9 operations per second, from its data sheet",
               .above = 0,
               .most = 1e9,
               .required = true},
              device.gflops);
  visit.field({.key = "memory_bandwidth",
               .doc = "memory bandwidth; left out: never the bottleneck",
               .least = 0,
               .most = 1e15,
               .written = device.memory_bandwidth.value > 0},
              device.memory_bandwidth);
}

/// A network that is counted, not trained: by its shape, or by a table of its layers' work.
template <class Visitor, Described<ModelSpec> T>
void describe_counted(Visitor& visit, T& model) {
  const bool open = model.layers.empty() && model.profile.path.empty();
  visit.field({.key = "network",
               .doc = "a network of the library, such as llama-3-8b (foretrain describe networks); "
                      "only for forecasts, with no measurement",
               .used = open,
               .unused_because = "the network is given by layers or by a profile",
               .written = !model.network.empty()},
              model.network);
  visit.field({.key = "config",
               .doc = "a config.json of the families llama, qwen2, gpt2, bert, mpt, vit; only for "
                      "forecasts",
               .used = open && model.network.empty(),
               .unused_because = "the network is given already",
               .written = !model.config.empty()},
              model.config);
  const std::string_view trained = "only a network that is counted has it";
  visit.field({.key = "sequence",
               .doc = "tokens of an example; left out: the most that the network reads, up to 8192",
               .least = 1,
               .most = 1e7,
               .used = model.by_shape(),
               .unused_because = trained,
               .written = model.sequence > 0},
              model.sequence);
  visit.field({.key = "precision",
               .doc = "format of numbers: of activations and messages, and of the arithmetic",
               .choices = precision_names(),
               .used = model.profiled(),
               .unused_because = trained,
               .written = model.by_shape() || model.precision != ModelSpec{}.precision},
              model.precision);
  visit.field({.key = "attention",
               .doc = "fused: scores stay in the chip (FlashAttention); plain: they are written",
               .choices = {"fused", "plain"},
               .used = model.by_shape(),
               .unused_because = trained,
               .written = model.attention != ModelSpec{}.attention},
              model.attention);
}

template <class Visitor, Described<ModelSpec> T>
void describe(Visitor& visit, T& model) {
  visit.list({.key = "layers",
              .doc = "layers from the input to the classes, instead of a name",
              .written = !model.layers.empty(),
              .shorthand = "kind"},
             model.layers);
  visit.field({.key = "profile",
               .doc = "a CSV file of layers with their times (columns layer, parameter_bytes, "
                      "forward_ms, backward_ms; update_ms; forward_ms@8, backward_ms@8), or with "
                      "their work, as foretrain_profile.py writes it; only for forecasts",
               .used = model.layers.empty(),
               .unused_because = "the network is given by layers",
               .written = !model.profile.path.empty()},
              model.profile.path);
  describe_counted(visit, model);
  const bool table = !model.profile.path.empty();
  visit.field({.key = "profile_batch",
               .doc = "batch size of the profile; left out, with one batch: training.batch_size",
               .least = 1,
               .most = 1e7,
               .used = table,
               .unused_because = "only a profile has a batch size",
               .written = model.profile_batch > 0},
              model.profile_batch);
  visit.section({.key = "profile_device",
                 .doc = "rates of the profiled device: times are scaled for hosts that describe "
                        "their `device`; left out: times are used unchanged",
                 .used = table,
                 .unused_because = "only a profile has a device",
                 .written = model.profile_device.described()},
                model.profile_device);
  visit.field({.key = "profile_network",
               .doc = "its name in `measured` of hosts: a gradient takes the measured time, shared "
                      "among layers as in the profile; left out: times of the profile",
               .used = model.profiled(),
               .unused_because = "only a profile has shares of layers",
               .written = !model.profile_network.empty()},
              model.profile_network);
  const bool named = model.layers.empty() && !model.profiled();
  visit.field({.key = "name",
               .doc = "name of a network of the program",
               .choices = network_names(),
               .used = named,
               .unused_because = "the network is given by layers or by a profile"},
              model.name);
  const bool mlp = named && model.name == "mlp";
  visit.field({.key = "hidden",
               .doc = "mlp: number of units of each hidden layer",
               .least = 1,
               .most = 1e6,
               .used = mlp,
               .unused_because = "only mlp has hidden layers",
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
