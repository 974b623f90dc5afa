#include "tests/support/twin.h"

#include "models/base/check.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace foretrain::testing {
namespace {

int units_of(const LayerSpec& spec, int classes) { return spec.units > 0 ? spec.units : classes; }

int stride_of(const LayerSpec& spec) {
  if (spec.stride > 0) return spec.stride;
  return spec.kind == "conv" ? 1 : spec.size;
}

int windows(int length, const LayerSpec& spec) {
  return (length + 2 * spec.padding - spec.size) / stride_of(spec) + 1;
}

std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

/// Index of the channels at [example][y][x].
std::int64_t pixel(const Activations& a, std::int64_t example, std::int64_t y, std::int64_t x) {
  return ((example * a.shape.rows + y) * a.shape.columns + x) * a.shape.channels;
}

Activations blank(Shape shape, std::int64_t batch) {
  return {shape, batch, std::vector<double>(index(batch * shape.size()), 0.0)};
}

/// out[o] += x * parameters[first + o]
void add_row(double x, const TwinParameters& parameters, std::int64_t first, int units,
             double* out) {
  for (int o = 0; o < units; ++o) out[o] += x * parameters[first + o];
}

Activations dense(const LayerSpec& spec, int classes, const Activations& in,
                  const TwinParameters& parameters) {
  const int units = units_of(spec, classes);
  const std::int64_t inputs = in.shape.size();
  Activations out = blank({1, 1, units}, in.batch);
  for (std::int64_t i = 0; i < inputs; ++i) {  // outermost: each row of weights is read once
    std::vector<double> row(index(units));
    for (int o = 0; o < units; ++o) row[index(o)] = parameters[i * units + o];
    for (std::int64_t e = 0; e < in.batch; ++e) {
      const double x = in.numbers[index(e * inputs + i)];
      double* y = &out.numbers[index(e * units)];
      for (int o = 0; o < units; ++o) y[o] += x * row[index(o)];
    }
  }
  for (std::int64_t e = 0; e < in.batch; ++e) {
    add_row(1, parameters, inputs * units, units, &out.numbers[index(e * units)]);
  }
  return out;
}

Activations sparse_dense(const LayerSpec& spec, int classes, std::int64_t batch,
                         const SparseRows& x, std::int64_t features,
                         const TwinParameters& parameters) {
  const int units = units_of(spec, classes);
  Activations out = blank({1, 1, units}, batch);
  for (std::int64_t e = 0; e < batch; ++e) {
    double* y = &out.numbers[index(e * units)];
    for (std::size_t i = x.starts[index(e)]; i < x.starts[index(e) + 1]; ++i) {
      const std::int64_t feature = x.features[x.columns[i]];
      add_row(static_cast<double>(x.values[i]), parameters, feature * units, units, y);
    }
    add_row(1, parameters, features * units, units, y);
  }
  return out;
}

/// All examples have the same number of entries.
Activations embedding(int units, std::int64_t batch, const SparseRows& x,
                      const TwinParameters& parameters) {
  const auto entries = static_cast<std::int64_t>(x.columns.size());
  Activations out = blank({1, 1, static_cast<int>(entries / batch) * units}, batch);
  for (std::int64_t i = 0; i < entries; ++i) {
    const std::int64_t feature = x.features[x.columns[index(i)]];
    add_row(static_cast<double>(x.values[index(i)]), parameters, feature * units, units,
            &out.numbers[index(i * units)]);
  }
  return out;
}

Activations conv(const LayerSpec& spec, const Activations& in, const TwinParameters& parameters) {
  const int units = spec.units;
  const std::int64_t weights =
      static_cast<std::int64_t>(spec.size) * spec.size * in.shape.channels * units;
  Activations out =
      blank({windows(in.shape.rows, spec), windows(in.shape.columns, spec), units}, in.batch);
  std::vector<double> w(index(weights));
  for (std::int64_t i = 0; i < weights; ++i) w[index(i)] = parameters[i];
  for (std::int64_t e = 0; e < in.batch; ++e) {
    for (int oy = 0; oy < out.shape.rows; ++oy) {
      for (int ox = 0; ox < out.shape.columns; ++ox) {
        double* to = &out.numbers[index(pixel(out, e, oy, ox))];
        if (spec.bias) add_row(1, parameters, weights, units, to);
        for (int k = 0; k < spec.size * spec.size; ++k) {
          const int y = oy * stride_of(spec) - spec.padding + k / spec.size;
          const int x = ox * stride_of(spec) - spec.padding + k % spec.size;
          if (y < 0 || x < 0 || y >= in.shape.rows || x >= in.shape.columns) continue;
          for (int c = 0; c < in.shape.channels; ++c) {
            const double number = in.numbers[index(pixel(in, e, y, x) + c)];
            const double* row = &w[index((std::int64_t{k} * in.shape.channels + c) * units)];
            for (int o = 0; o < units; ++o) to[o] += number * row[o];
          }
        }
      }
    }
  }
  return out;
}

Activations max_pool(const LayerSpec& spec, const Activations& in) {
  Activations out = blank(
      {windows(in.shape.rows, spec), windows(in.shape.columns, spec), in.shape.channels}, in.batch);
  std::size_t next = 0;
  for (std::int64_t e = 0; e < in.batch; ++e) {
    for (int oy = 0; oy < out.shape.rows; ++oy) {
      for (int ox = 0; ox < out.shape.columns; ++ox) {
        for (int c = 0; c < in.shape.channels; ++c) {
          double best = -std::numeric_limits<double>::infinity();
          for (int k = 0; k < spec.size * spec.size; ++k) {
            const int y = oy * stride_of(spec) - spec.padding + k / spec.size;
            const int x = ox * stride_of(spec) - spec.padding + k % spec.size;
            if (y < 0 || x < 0 || y >= in.shape.rows || x >= in.shape.columns) continue;
            best = std::max(best, in.numbers[index(pixel(in, e, y, x) + c)]);
          }
          out.numbers[next++] = best;
        }
      }
    }
  }
  return out;
}

Activations average_pool(const LayerSpec& spec, const Activations& in) {
  const int side = spec.size;
  Activations out = blank({side, side, in.shape.channels}, in.batch);
  const auto start = [&](int i, int length) {
    return static_cast<int>(std::floor(static_cast<double>(i) * length / side));
  };
  const auto end = [&](int i, int length) {
    return static_cast<int>(std::ceil(static_cast<double>(i + 1) * length / side));
  };
  std::size_t next = 0;
  for (std::int64_t e = 0; e < in.batch; ++e) {
    for (int oy = 0; oy < side; ++oy) {
      for (int ox = 0; ox < side; ++ox) {
        for (int c = 0; c < in.shape.channels; ++c) {
          double sum = 0;
          int count = 0;
          for (int y = start(oy, in.shape.rows); y < end(oy, in.shape.rows); ++y) {
            for (int x = start(ox, in.shape.columns); x < end(ox, in.shape.columns); ++x) {
              sum += in.numbers[index(pixel(in, e, y, x) + c)];
              ++count;
            }
          }
          out.numbers[next++] = sum / count;
        }
      }
    }
  }
  return out;
}

Activations lrn(const LayerSpec& spec, const Activations& in) {
  Activations out = in;
  const int channels = in.shape.channels;
  for (std::int64_t p = 0; p < in.batch * in.shape.pixels(); ++p) {
    const double* x = &in.numbers[index(p * channels)];
    for (int c = 0; c < channels; ++c) {
      double sum = 0;
      for (int j = c - spec.size / 2; j <= c + (spec.size - 1) / 2; ++j) {
        if (j >= 0 && j < channels) sum += x[j] * x[j];
      }
      out.numbers[index(p * channels + c)] /=
          std::pow(spec.k + spec.alpha / spec.size * sum, spec.beta);
    }
  }
  return out;
}

/// In evaluation it is as before the first batch: mean 0, variance 1.
Activations twin_batch_norm(const LayerSpec& spec, const Activations& in,
                            const TwinParameters& parameters, bool trains) {
  Activations out = in;
  const int channels = in.shape.channels;
  const std::int64_t pixels = in.batch * in.shape.pixels();
  for (int c = 0; c < channels; ++c) {
    const auto at = [&](std::int64_t p) { return index(p * channels + c); };
    double mean = 0;
    for (std::int64_t p = 0; trains && p < pixels; ++p) mean += in.numbers[at(p)];
    mean /= static_cast<double>(pixels);
    double variance = trains ? 0 : 1;
    for (std::int64_t p = 0; trains && p < pixels; ++p) {
      variance +=
          (in.numbers[at(p)] - mean) * (in.numbers[at(p)] - mean) / static_cast<double>(pixels);
    }
    const double scale = parameters[c] / std::sqrt(variance + spec.epsilon);
    for (std::int64_t p = 0; p < pixels; ++p) {
      out.numbers[at(p)] = (in.numbers[at(p)] - mean) * scale + parameters[channels + c];
    }
  }
  return out;
}

/// Adds every s-th pixel of `other` to the first channels of `in`.
Activations twin_add(const Activations& in, const Activations& other) {
  Activations out = in;
  const int step = (other.shape.rows + in.shape.rows - 1) / in.shape.rows;
  for (std::int64_t e = 0; e < in.batch; ++e) {
    for (int y = 0; y < in.shape.rows; ++y) {
      for (int x = 0; x < in.shape.columns; ++x) {
        for (int c = 0; c < other.shape.channels; ++c) {
          out.numbers[index(pixel(in, e, y, x) + c)] +=
              other.numbers[index(pixel(other, e, y * step, x * step) + c)];
        }
      }
    }
  }
  return out;
}

Activations dropout_layer(const LayerSpec& spec, const Activations& in, Stream* stream) {
  Activations out = in;
  if (stream == nullptr || spec.rate == 0) return out;
  const double threshold = std::floor(spec.rate * 0x1p32);
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < out.numbers.size(); ++i) {
    bits = i % 2 == 0 ? stream->bits() : bits >> 32;
    const bool kept = static_cast<double>(bits & 0xffffffffu) >= threshold;
    out.numbers[i] = kept ? out.numbers[i] / (1 - spec.rate) : 0;
  }
  return out;
}

double mean_loss(const Activations& logits, const Batch& batch) {
  const double sum = logits.shape.size() == 1
                         ? twin_logistic(logits.numbers, batch.labels)
                         : twin_softmax_cross_entropy(logits.numbers, batch.examples, batch.labels);
  return sum / static_cast<double>(batch.examples);
}

}  // namespace

double Nudge::sign(std::int64_t i) const {
  std::uint64_t bits = (seed + static_cast<std::uint64_t>(i)) * 0x9e3779b97f4a7c15u;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
  return ((bits >> 40) & 1) != 0 ? 1 : -1;
}

Activations twin_forward(const LayerSpec& spec, int classes, const Activations& input,
                         const SparseRows* sparse, const TwinParameters& parameters,
                         Stream* dropout) {
  if (spec.kind == "dense") return dense(spec, classes, input, parameters);
  if (spec.kind == "conv") return conv(spec, input, parameters);
  if (spec.kind == "max_pool") return max_pool(spec, input);
  if (spec.kind == "average_pool") return average_pool(spec, input);
  if (spec.kind == "lrn") return lrn(spec, input);
  if (spec.kind == "batch_norm")
    return twin_batch_norm(spec, input, parameters, dropout != nullptr);
  if (spec.kind == "dropout") return dropout_layer(spec, input, dropout);
  if (spec.kind == "sparse_dense") {
    // The shape of a sparse input gives the number of features.
    return sparse_dense(spec, classes, input.batch, *sparse, input.shape.size(), parameters);
  }
  if (spec.kind == "embedding") return embedding(spec.units, input.batch, *sparse, parameters);
  Activations out = input;
  if (spec.kind == "flatten") {
    out.shape = {1, 1, static_cast<int>(input.shape.size())};
  } else {
    FT_CHECK(spec.kind == "relu");
    for (double& x : out.numbers) x = std::max(0.0, x);
  }
  return out;
}

std::int64_t twin_parameters(const LayerSpec& spec, int classes, Shape input,
                             std::int64_t sparse_features) {
  const std::int64_t units = units_of(spec, classes);
  if (spec.kind == "dense") return (input.size() + 1) * units;
  if (spec.kind == "sparse_dense") return (sparse_features + 1) * units;
  if (spec.kind == "embedding") return sparse_features * units;
  if (spec.kind == "batch_norm") return std::int64_t{2} * input.channels;
  if (spec.kind != "conv") return 0;
  const std::int64_t window = static_cast<std::int64_t>(spec.size) * spec.size;
  return (window * input.channels + (spec.bias ? 1 : 0)) * units;
}

double twin_softmax_cross_entropy(std::span<const double> logits, std::int64_t batch,
                                  std::span<const std::int32_t> labels) {
  const std::size_t classes = logits.size() / index(batch);
  double sum = 0;
  for (std::size_t i = 0; i < index(batch); ++i) {
    const auto z = logits.subspan(i * classes, classes);
    const double top = *std::ranges::max_element(z);
    double total = 0;
    for (const double each : z) total += std::exp(each - top);
    sum += std::log(total) + top - z[static_cast<std::size_t>(labels[i])];
  }
  return sum;
}

double twin_logistic(std::span<const double> logits, std::span<const std::int32_t> labels) {
  double sum = 0;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const double t = labels[i] == 1 ? -logits[i] : logits[i];
    sum += t > 0 ? t + std::log1p(std::exp(-t)) : std::log1p(std::exp(t));
  }
  return sum;
}

TwinNetwork::TwinNetwork(const NetworkSpec& spec, const InputShape& input,
                         std::span<const float> parameters, const Batch& batch,
                         std::optional<Stream> dropout)
    : spec_(spec), input_(input), parameters_(parameters), batch_(batch) {
  Activations now{input.image, batch.examples, {}};
  if (input.sparse()) {
    now.shape = {1, 1, static_cast<int>(input.sparse_features)};
  } else {
    const float* x = batch.inputs.data();
    now.numbers.assign(x, x + batch.examples * input.image.size());
  }
  std::int64_t first = 0;
  stages_.reserve(spec.layers.size());
  for (const LayerSpec& layer : spec_.layers) {
    const std::int64_t count =
        twin_parameters(layer, input.classes, now.shape, input.sparse_features);
    stages_.push_back({layer, now, dropout, first, count});
    now = through(stages_.size() - 1, {}, {}, std::nullopt, dropout ? &*dropout : nullptr);
    first += count;
  }
  FT_CHECK_OP(first, ==, static_cast<std::int64_t>(parameters.size()));
  loss_ = mean_loss(now, batch);
}

double TwinNetwork::loss(const std::optional<Nudge>& nudge) const {
  if (!nudge) return loss_;
  const auto nudged = std::ranges::find_if(stages_, [&](const Stage& stage) {
    return nudge->first >= stage.first && nudge->first < stage.first + stage.count;
  });
  FT_CHECK(nudged != stages_.end());
  FT_CHECK_OP(nudge->first + nudge->count, <=, nudged->first + nudged->count);
  const auto begin = static_cast<std::size_t>(nudged - stages_.begin());
  std::vector<Activations> moved{nudged->input};
  std::optional<Stream> dropout = nudged->dropout;
  for (std::size_t stage = begin; stage < stages_.size(); ++stage) {
    std::optional<Nudge> here;
    if (stage == begin) {
      here = nudge;
      here->first -= nudged->first;
    }
    moved.push_back(through(stage, begin, moved, here, dropout ? &*dropout : nullptr));
  }
  return mean_loss(moved.back(), batch_);
}

Activations TwinNetwork::through(std::size_t stage, std::size_t begin,
                                 const std::vector<Activations>& moved,
                                 const std::optional<Nudge>& nudge, Stream* dropout) const {
  const auto input_of = [&](std::size_t each) -> const Activations& {
    const bool is_moved = each >= begin && each - begin < moved.size();
    return is_moved ? moved[each - begin] : stages_[each].input;
  };
  const Stage& of = stages_[stage];
  if (of.spec.kind == "add") {
    // The output of a layer is stored as the input of the next layer.
    return twin_add(input_of(stage),
                    input_of(index(static_cast<std::int64_t>(stage) + of.spec.from + 1)));
  }
  const TwinParameters parameters(parameters_.subspan(index(of.first), index(of.count)), nudge);
  return twin_forward(of.spec, input_.classes, input_of(stage), &batch_.sparse, parameters,
                      dropout);
}

}  // namespace foretrain::testing
