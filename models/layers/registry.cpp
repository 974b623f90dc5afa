// The kinds of layers by name: a new one is a file in this folder, plus its lines here.
#include "models/layers/registry.h"

#include "models/layers/add.h"
#include "models/layers/average_pool.h"
#include "models/layers/batch_norm.h"
#include "models/layers/conv2d.h"
#include "models/layers/dense.h"
#include "models/layers/dropout.h"
#include "models/layers/embedding.h"
#include "models/layers/local_response_norm.h"
#include "models/layers/max_pool.h"
#include "models/layers/relu.h"
#include "models/layers/sparse_dense.h"

#include <fmt/format.h>

#include <algorithm>

namespace foretrain {
namespace {

constexpr std::int64_t kLargest = 1 << 30;  // numbers in a layer's output, or in its parameters

struct Building : LayerPlace {
  const LayerSpec& spec;
  bool relu;

  [[noreturn]] void fail(const std::string& what) const {
    throw NetworkError(number, fmt::format("layer {} ({}): {}", number, spec.kind, what));
  }

  [[nodiscard]] int units() const { return spec.units > 0 ? spec.units : input.classes; }

  /// Checks a window that slides over an image.
  void check_window() const {
    const int least = std::min(before.rows, before.columns) + 2 * spec.padding;
    if (spec.size < 1) fail("size is missing; write the side of its window in pixels");
    if (before.pixels() == 1 && spec.size > 1 + 2 * spec.padding) {
      fail(fmt::format("its input is a plain vector of {}; put it before the first dense layer",
                       to_string(before)));
    }
    if (spec.size > least) {
      fail(
          fmt::format("a window of {0} x {0} pixels does not fit into its input of {1} with "
                      "padding {2}; use a smaller size, or more padding",
                      spec.size, to_string(before), spec.padding));
    }
  }
};

using Made = std::unique_ptr<const Layer>;

Made make_dense(const Building& b) {
  if (b.before.size() * b.units() > kLargest) {
    b.fail(fmt::format("{} x {} weights are more than 2^30", b.before.size(), b.units()));
  }
  return std::make_unique<Dense>(static_cast<int>(b.before.size()), b.units(), b.relu);
}

Made make_conv(const Building& b) {
  b.check_window();
  if (b.spec.units < 1) b.fail("units is missing; write the number of output channels");
  const std::int64_t window = std::int64_t{b.spec.size} * b.spec.size * b.before.channels;
  if (window * b.spec.units > kLargest) {
    b.fail(fmt::format("{} x {} weights are more than 2^30", window, b.spec.units));
  }
  if (!b.spec.bias && b.spec.init.bias != 0) {
    b.fail("init.bias is given, but bias is off; remove one of them");
  }
  const ConvShape shape{b.spec.units, b.spec.size, b.spec.step(), b.spec.padding, b.spec.bias};
  return std::make_unique<Conv2d>(b.before, shape, b.relu);
}

Made make_max_pool(const Building& b) {
  b.check_window();
  if (b.spec.padding * 2 > b.spec.size) b.fail("padding is at most half of size");
  if (b.spec.size > MaxPool::kSizeMax) {
    b.fail(fmt::format("size is at most {}; pool twice", MaxPool::kSizeMax));
  }
  return std::make_unique<MaxPool>(b.before, b.spec.size, b.spec.step(), b.spec.padding, b.relu);
}

Made make_average_pool(const Building& b) {
  if (b.spec.size < 1) b.fail("size is missing; write the side of its output in pixels");
  if (b.spec.size == b.before.rows && b.spec.size == b.before.columns) return nullptr;
  return std::make_unique<AdaptiveAveragePool>(b.before, b.spec.size);
}

Made make_lrn(const Building& b) {
  if (b.spec.size < 1) b.fail("size is missing; write the number of channels that it sums over");
  return std::make_unique<LocalResponseNorm>(b.before, b.spec.size, b.spec.alpha, b.spec.beta,
                                             b.spec.k);
}

Made make_relu(const Building& b) { return std::make_unique<Relu>(b.before); }

Made make_dropout(const Building& b) {
  if (b.spec.rate < 0 || b.spec.rate >= 1) b.fail("rate must be at least 0 and below 1");
  if (b.spec.rate == 0) return nullptr;
  return std::make_unique<Dropout>(b.before, b.spec.rate);
}

Made make_flatten(const Building& /*b*/) { return nullptr; }

Made make_batch_norm(const Building& b) {
  return std::make_unique<BatchNorm>(b.before, b.spec.epsilon, b.spec.momentum);
}

Made make_add(const Building& b) {
  const int line = b.number + b.spec.from;
  if (b.spec.from > -2) {
    b.fail(
        "from "
        "is missing; write the layer whose output it adds, counted back from here, such as -3");
  }
  if (line < 0) b.fail(fmt::format("from: {} is before the first layer", b.spec.from));
  const LineOutput& other = b.earlier[static_cast<std::size_t>(line)];
  if (other.layer < 0) {
    b.fail(
        fmt::format("layer {} only passes the examples on; add the output of a later one", line));
  }
  if (!Add::fits(b.before, other.shape)) {
    b.fail(
        fmt::format("{} of layer {} cannot be added to {}: rows and columns must be equal or "
                    "multiples, channels equal or fewer",
                    to_string(other.shape), line, to_string(b.before)));
  }
  return std::make_unique<Add>(b.before, other.shape, other.layer);
}

/// Checks a layer with a row of `units` weights for each feature.
void check_rows(const Building& b, int units) {
  if (b.number != 0) b.fail("it reads sparse examples, so it can only be the first layer");
  if (b.input.sparse_features * units > kLargest) {
    b.fail(fmt::format("{} features x {} weights are more than 2^30; use fewer hash_bits",
                       b.input.sparse_features, units));
  }
}

Made make_sparse_dense(const Building& b) {
  check_rows(b, b.units());
  return std::make_unique<SparseDense>(b.input.sparse_features, b.units(), b.input.sparse_entries);
}

Made make_embedding(const Building& b) {
  if (b.spec.units < 1) b.fail("units is missing; write the length of a field's vector");
  check_rows(b, b.spec.units);
  if (b.input.sparse_fields == 0) {
    b.fail(
        "its examples have no fields; use sparse_dense, which sums their values, or data with "
        "fields (criteo, clicks)");
  }
  return std::make_unique<Embedding>(b.input.sparse_features, b.input.sparse_fields, b.spec.units);
}

struct KnownLayer {
  LayerKind kind;
  Made (*make)(const Building&);
};

const std::vector<KnownLayer>& kinds() {
  static const std::vector<KnownLayer> all{
      {{"dense", {"units", "init"}}, make_dense},
      {{"conv", {"units", "size", "stride", "padding", "bias", "init"}}, make_conv},
      {{"max_pool", {"size", "stride", "padding"}}, make_max_pool},
      {{"average_pool", {"size"}}, make_average_pool},
      {{"batch_norm", {"epsilon", "momentum"}}, make_batch_norm},
      {{"lrn", {"size", "alpha", "beta", "k"}}, make_lrn},
      {{"relu", {}}, make_relu},
      {{"add", {"from"}}, make_add},
      {{"dropout", {"rate"}}, make_dropout},
      {{"flatten", {}}, make_flatten},
      {{"sparse_dense", {"units", "init"}, true}, make_sparse_dense},
      {{"embedding", {"units", "init"}, true}, make_embedding},
  };
  return all;
}

}  // namespace

bool LayerKind::uses(std::string_view field) const {
  return std::ranges::find(fields, field) != fields.end();
}

const std::vector<LayerKind>& layer_kinds() {
  static const std::vector<LayerKind> all = [] {
    std::vector<LayerKind> list;
    list.reserve(kinds().size());
    for (const KnownLayer& each : kinds()) list.push_back(each.kind);
    return list;
  }();
  return all;
}

const LayerKind* find_layer_kind(std::string_view name) {
  const auto found = std::ranges::find(layer_kinds(), name, &LayerKind::name);
  return found == layer_kinds().end() ? nullptr : &*found;
}

bool fuses_relu(std::string_view kind) { return kind == "dense" || kind == "conv"; }

bool takes_relu_before(const LayerSpec& spec) {
  return spec.kind == "max_pool" && spec.size <= MaxPool::kSizeMaxRelu;
}

std::unique_ptr<const Layer> make_layer(const LayerSpec& spec, const LayerPlace& place, bool relu) {
  const Building building{place, spec, relu};
  const auto found = std::ranges::find_if(
      kinds(), [&](const KnownLayer& each) { return each.kind.name == spec.kind; });
  if (found == kinds().end()) building.fail("there is no such kind of layer");
  const bool sparse = found->kind.sparse;
  if (place.number == 0 && place.input.sparse() && !sparse) {
    building.fail("the examples are sparse, so the first layer must be sparse_dense or embedding");
  }
  if (!place.input.sparse() && sparse) {
    building.fail("the examples are not sparse; use dense");
  }
  Made made = found->make(building);
  if (made != nullptr && made->output().size() > kLargest) {
    building.fail(fmt::format("its output {} is too large", to_string(made->output())));
  }
  return made;
}

}  // namespace foretrain
