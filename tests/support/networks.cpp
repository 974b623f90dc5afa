#include "tests/support/networks.h"

#include "tests/support/sparse_rows.h"

#include <algorithm>
#include <cstddef>

namespace foretrain::testing {
namespace {

InputShape images(int side, int channels, int classes) {
  return {.image = {side, side, channels}, .classes = classes};
}

InputShape hashed(int bits) {
  InputShape input;
  input.sparse_features = std::int64_t{1} << bits;
  input.sparse_entries = 6;
  input.classes = 2;
  return input;
}

/// Limits hidden dense layers, or other layers of one kind, to `most` units.
NetworkSpec with_units(NetworkSpec spec, int most, std::string_view kind = "dense") {
  for (LayerSpec& layer : spec.layers) {
    if (layer.kind == kind) layer.units = std::min(layer.units, most);
  }
  return spec;
}

void draw_images(const InputShape& input, Stream& stream, Batch& batch) {
  const auto size = static_cast<std::size_t>(input.image.size());
  const auto x = batch.inputs.reserve(static_cast<std::size_t>(batch.examples) * size);
  for (std::size_t i = 0; i < batch.labels.size(); ++i) {
    Stream pattern(static_cast<std::uint64_t>(batch.labels[i]), "test.pattern");
    for (std::size_t j = 0; j < size; ++j) {
      x[i * size + j] = static_cast<float>(2 * pattern.uniform() - 1 + 0.3 * stream.normal());
    }
  }
}

void draw_rows(const InputShape& input, Stream& stream, Batch& batch) {
  SparseRows& rows = batch.sparse;
  std::vector<std::uint32_t> features;
  rows = {};
  rows.starts.push_back(0);
  for (const std::int32_t label : batch.labels) {
    const std::uint64_t any = 4 + stream.below(5);
    const std::uint64_t entries =
        input.sparse_fields > 0 ? static_cast<std::uint64_t>(input.sparse_fields) : any;
    for (std::uint64_t e = 0; e < entries; ++e) {
      const auto all = static_cast<std::uint64_t>(input.sparse_features);
      std::uint64_t feature = stream.below(all);
      if (stream.uniform() < 0.6) feature = feature % 8 + (label == 1 ? 8 : 0);
      features.push_back(static_cast<std::uint32_t>(feature));
      rows.values.push_back(stream.uniform() < 0.7 ? 1.0F : static_cast<float>(stream.normal()));
    }
    rows.starts.push_back(static_cast<std::uint32_t>(features.size()));
  }
  number_columns(features, rows);
}

}  // namespace

std::vector<NetworkCase> network_cases(bool narrow) {
  const int units = narrow ? 48 : 1 << 20;
  return {
      {"softmax", network_spec("softmax", {}), images(narrow ? 9 : 28, 1, 10), 16},
      {"mlp", network_spec("mlp", {.hidden = {40, 30}}), images(narrow ? 9 : 28, 1, 10), 16},
      {"lenet", network_spec("lenet", {}), images(narrow ? 16 : 28, 1, 10), 4},
      {"lenet_large", with_units(network_spec("lenet_large", {}), units),
       images(narrow ? 12 : 28, 1, 10), 3},
      {"alexnet_cifar", with_units(network_spec("alexnet_cifar", {}), units),
       images(narrow ? 11 : 24, 3, 10), 3},
      {"alexnet", with_units(network_spec("alexnet", {}), units), images(63, 3, narrow ? 7 : 1000),
       2},
      {"vgg11", with_units(network_spec("vgg11", {}), units / 2, "conv"), images(32, 3, 10), 4},
      {"resnet20", network_spec("resnet20", {}), images(narrow ? 8 : 32, 3, 10), 4},
      {"sparse_logistic", network_spec("sparse_logistic", {}), hashed(narrow ? 8 : 14), 32},
  };
}

NetworkCase residual_case() {
  const LayerSpec relu{.kind = "relu"};
  const LayerSpec same{.kind = "conv", .units = 6, .size = 3, .padding = 1};
  const LayerSpec halved{.kind = "conv", .units = 8, .size = 3, .stride = 2, .padding = 1};
  const LayerSpec norm{.kind = "batch_norm"};
  const LayerSpec add{.kind = "add", .from = -3};
  return {"residual",
          {{same, relu, norm, same, relu, add, halved, relu, add, norm, {.kind = "dense"}}},
          images(9, 2, 10),
          6};
}

NetworkCase pooled_case() {
  const LayerSpec relu{.kind = "relu"};
  const LayerSpec norm{.kind = "batch_norm"};
  const LayerSpec conv{.kind = "conv", .units = 6, .size = 3, .padding = 1};
  const LayerSpec pool{.kind = "max_pool", .size = 3, .stride = 1, .padding = 1};
  const LayerSpec halved{.kind = "max_pool", .size = 2};
  const auto add = [](int from) { return LayerSpec{.kind = "add", .from = from}; };
  return {"pooled",
          {{conv,
            relu,
            pool,
            conv,
            relu,
            conv,
            add(-4),
            relu,
            norm,
            relu,
            halved,
            conv,
            relu,
            relu,
            pool,
            add(-2),
            {.kind = "dense"}}},
          images(8, 2, 10),
          6};
}

NetworkCase embedding_case() {
  InputShape input = hashed(7);
  input.sparse_fields = 6;
  return {"embedding",
          {{{.kind = "embedding", .units = 5},
            {.kind = "dense", .units = 9},
            {.kind = "relu"},
            {.kind = "dense", .units = 1}}},
          input,
          12};
}

bool is_normalised_away(const Network& network, const ParameterBlock& block) {
  const auto layers = network.layers().subspan(static_cast<std::size_t>(block.layer));
  const bool rectified = layers[0]->name().ends_with("relu");
  return block.bias && !rectified && layers.size() > 1 &&
         layers[1]->name().starts_with("batch_norm");
}

NetworkSpec without_dropout(NetworkSpec spec) {
  std::erase_if(spec.layers, [](const LayerSpec& layer) { return layer.kind == "dropout"; });
  return spec;
}

std::vector<float> lively_parameters(const NetworkCase& network_case, std::uint64_t seed) {
  NetworkSpec spec = network_case.spec;
  for (LayerSpec& layer : spec.layers) {
    layer.init = {.kind = "he", .bias = layer.bias ? 0.1 : 0};
    if (layer.kind == "sparse_dense") {
      layer.init = {.kind = "normal", .deviation = 0.3, .bias = 0.1};
    }
  }
  const Network network(spec, network_case.input);
  std::vector<float> parameters(static_cast<std::size_t>(network.parameters()));
  Stream stream(seed, "init");
  network.initialize(stream, parameters);
  return parameters;
}

void draw_batch(const InputShape& input, std::int64_t examples, Stream& stream, Batch& batch) {
  batch.examples = examples;
  batch.labels.resize(static_cast<std::size_t>(examples));
  for (std::int32_t& label : batch.labels) {
    label = static_cast<std::int32_t>(stream.below(static_cast<std::uint64_t>(input.classes)));
  }
  if (input.sparse()) {
    draw_rows(input, stream, batch);
  } else {
    draw_images(input, stream, batch);
  }
}

}  // namespace foretrain::testing
