#include "models/networks/network.h"

#include "models/base/check.h"
#include "models/layers/registry.h"
#include "models/losses/losses.h"
#include "models/networks/workspace.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

namespace foretrain {
namespace {

// The limit of an evaluation's activations between layers.
constexpr std::int64_t kEvaluationBytes = 32 << 20;
constexpr std::int64_t kEvaluationBatch = 256;  // a softmax's input and logits in the L2 cache

/// The loss over the logits [batch][outputs].
struct Loss {
  int outputs;

  [[nodiscard]] bool logistic() const { return outputs == 1; }
  BatchLoss with_gradient(float* logits, const Batch& batch) const {
    if (logistic()) return foretrain::logistic(logits, batch.examples, batch.labels);
    return softmax_cross_entropy(logits, batch.examples, outputs, batch.labels);
  }
  BatchLoss alone(const float* logits, const Batch& batch) const {
    if (logistic()) return logistic_loss(logits, batch.examples, batch.labels);
    return softmax_cross_entropy_loss(logits, batch.examples, outputs, batch.labels);
  }
};

/// A later line adds the output of line `line`, so the output must be stored separately.
bool is_added(const std::vector<LayerSpec>& specs, std::size_t line) {
  const auto of = static_cast<int>(line);
  for (int i = of + 1; i < static_cast<int>(specs.size()); ++i) {
    const LayerSpec& behind = specs[static_cast<std::size_t>(i)];
    if (behind.kind == "add" && i + behind.from == of) return true;
  }
  return false;
}

bool is_relu(const std::vector<LayerSpec>& specs, std::size_t line) {
  return line < specs.size() && specs[line].kind == "relu";
}

/// The relu of this line is part of the layer after it.
bool goes_behind(const std::vector<LayerSpec>& specs, std::size_t line) {
  return line > 0 && is_relu(specs, line) && line + 1 < specs.size() &&
         takes_relu_before(specs[line + 1]) && !is_added(specs, line);
}

}  // namespace

Network::Network(const NetworkSpec& spec, const InputShape& input) : input_(input) {
  const auto& specs = spec.layers;
  Shape shape = input.image;
  std::vector<LineOutput> outputs;
  outputs.reserve(specs.size());
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const bool relu = is_relu(specs, i + 1) && fuses_relu(specs[i].kind) && !is_added(specs, i) &&
                      !goes_behind(specs, i + 1);
    const bool behind = i > 0 && goes_behind(specs, i - 1);
    auto layer =
        goes_behind(specs, i)
            ? nullptr
            : make_layer(specs[i], {static_cast<int>(i), input, shape, outputs}, relu || behind);
    if (layer != nullptr) {
      shape = layer->output();
      add(std::move(layer), specs[i].init);
    } else if (specs[i].kind == "flatten") {
      shape = {1, 1, static_cast<int>(shape.size())};
    }
    outputs.resize(i + (relu ? 2 : 1), {shape, static_cast<int>(layers_.size()) - 1});
    if (relu) ++i;
  }
  if (layers_.empty()) throw NetworkError(-1, "the network has no layers; write at least one");
  const bool logistic = shape.size() == 1 && input.classes == 2;
  if (shape.size() != input.classes && !logistic) {
    throw NetworkError(
        static_cast<int>(specs.size()) - 1,
        fmt::format(
            "layer {} ({}): the last output is {}, but there are {} classes; end with a dense "
            "layer without units, which has one output per class",
            specs.size() - 1, specs.back().kind, to_string(shape), input.classes));
  }
}

Network::Network(const NetworkProfile& profile) : input_{.image = {0, 0, 0}}, profiled_(true) {
  for (const LayerTimes& times : profile.layers) {
    add(std::make_unique<const ProfiledLayer>(times, profile.batch_size, profile.second_batch), {});
    update_s_ += times.update_s;
    if (times.tensors < 2) continue;
    const ParameterBlock whole = blocks_.back();
    blocks_.pop_back();
    for (std::int64_t i = 0; i < times.tensors; ++i) {
      const std::int64_t first = whole.count * i / times.tensors;
      const std::int64_t count = whole.count * (i + 1) / times.tensors - first;
      blocks_.push_back({whole.first + first, count, whole.layer, false});
    }
  }
  if (layers_.empty()) throw NetworkError(-1, "the profile has no layers; write at least one");
}

void Network::add(std::unique_ptr<const Layer> layer, const Initializer& initializer) {
  const int number = static_cast<int>(layers_.size());
  firsts_.push_back(parameters_);
  if (layer->weights() > 0) blocks_.push_back({parameters_, layer->weights(), number, false});
  parameters_ += layer->weights();
  if (layer->biases() > 0) blocks_.push_back({parameters_, layer->biases(), number, true});
  parameters_ += layer->biases();
  begins_.push_back(statistics_);
  for (const Statistic& each : layer->statistics()) statistics_ += each.count;
  if (layer->other() >= 0) {
    skips_.push_back({static_cast<std::size_t>(layer->other()), layers_.size()});
  }
  layers_.push_back(std::move(layer));
  initializers_.push_back(initializer);
}

std::vector<float> Network::initial_statistics() const {
  std::vector<float> numbers;
  numbers.reserve(static_cast<std::size_t>(statistics_));
  for (const auto& layer : layers_) {
    for (const Statistic& each : layer->statistics()) {
      numbers.insert(numbers.end(), static_cast<std::size_t>(each.count), each.start);
    }
  }
  return numbers;
}

std::string_view Network::loss_name() const {
  if (profiled_) return "in the profile";
  return layers_.back()->output().size() == 1 ? "logistic" : "softmax_cross_entropy";
}

void Network::FreeWorkspace::operator()(Workspace* workspace) const { delete workspace; }

Network::WorkspacePointer Network::make_workspace(Stream dropout, std::span<const float> statistics,
                                                  std::span<const std::size_t> part_begins) const {
  WorkspacePointer workspace(new Workspace(*this, part_begins, dropout));
  workspace->statistics = initial_statistics();
  if (!statistics.empty()) {
    FT_CHECK_OP(statistics.size(), ==, workspace->statistics.size());
    std::ranges::copy(statistics, workspace->statistics.begin());
  }
  return workspace;
}

void Network::initialize(Stream& stream, std::span<float> parameters) const {
  FT_CHECK_OP(static_cast<std::int64_t>(parameters.size()), ==, parameters_);
  for (const ParameterBlock& block : blocks_) {
    const auto layer = static_cast<std::size_t>(block.layer);
    const auto part = parameters.subspan(static_cast<std::size_t>(block.first),
                                         static_cast<std::size_t>(block.count));
    const std::optional<float> start = layers_[layer]->weights_start();
    if (block.bias) {
      std::ranges::fill(part, static_cast<float>(initializers_[layer].bias));
    } else if (start) {
      std::ranges::fill(part, *start);
    } else {
      draw_weights(initializers_[layer], layers_[layer]->fans(), stream, part);
    }
  }
}

double Network::gradient(std::span<const float> parameters, const Batch& batch,
                         std::span<float> gradient, Workspace& workspace,
                         Parallel& parallel) const {
  const double loss = forward_of(0, layers_.size(), parameters, batch, workspace, parallel);
  gradient_of(0, layers_.size(), parameters, batch, gradient, workspace, parallel);
  return loss;
}

double Network::forward_of(std::size_t first, std::size_t last, std::span<const float> parameters,
                           const Batch& batch, Workspace& workspace, Parallel& parallel) const {
  Pass pass(*this, workspace, parameters, batch, parallel);
  pass.forward(first, last, true);
  if (last < layers_.size()) return std::numeric_limits<double>::quiet_NaN();
  std::ranges::copy(pass.logits(), pass.logit_gradient().begin());
  const Loss loss{static_cast<int>(layers_.back()->output().size())};
  const BatchLoss found = loss.with_gradient(pass.logit_gradient().data(), batch);
  return found.sum / static_cast<double>(batch.examples);
}

void Network::gradient_of(std::size_t first, std::size_t last, std::span<const float> parameters,
                          const Batch& batch, std::span<float> gradient, Workspace& workspace,
                          Parallel& parallel) const {
  FT_CHECK_OP(parameters.size(), ==, gradient.size());
  Pass(*this, workspace, parameters, batch, parallel).backward(first, last, gradient);
}

void Network::present(const Batch& batch, std::vector<std::uint32_t>& parameters) const {
  FT_CHECK(sparse());
  const auto width = static_cast<std::uint32_t>(weights_a_feature());
  const auto rest = static_cast<std::uint32_t>(layers_.front()->weights());
  parameters.clear();
  parameters.reserve(batch.sparse.features.size() * width +
                     static_cast<std::size_t>(parameters_ - rest));
  for (const std::uint32_t feature : batch.sparse.features) {
    for (std::uint32_t w = 0; w < width; ++w) parameters.push_back(feature * width + w);
  }
  for (auto p = rest; p < static_cast<std::uint32_t>(parameters_); ++p) parameters.push_back(p);
}

Score Network::evaluate(std::span<const float> parameters, const Dataset& data, std::int64_t first,
                        std::int64_t last, Workspace& workspace, Parallel& parallel) const {
  FT_CHECK_OP(last, <=, data.examples());
  FT_CHECK_OP(static_cast<std::int64_t>(parameters.size()), ==, parameters_);
  const auto outputs = static_cast<std::size_t>(layers_.back()->output().size());
  const Loss loss{static_cast<int>(outputs)};
  EvaluationBuffers& evaluation = workspace.evaluation;
  evaluation.scores.clear();
  evaluation.labels.clear();
  Score score;
  const std::int64_t most = evaluation_batch();
  for (; first < last; first += most) {
    evaluation.examples.resize(static_cast<std::size_t>(std::min(most, last - first)));
    std::iota(evaluation.examples.begin(), evaluation.examples.end(), first);
    data.gather(evaluation.examples, nullptr, evaluation.batch);
    Pass pass(*this, workspace, parameters, evaluation.batch, parallel);
    pass.forward(0, layers_.size(), false);
    const auto logits = pass.logits();
    const BatchLoss found = loss.alone(logits.data(), evaluation.batch);
    score.loss += found.sum;
    score.correct += found.correct;
    if (input_.classes != 2) continue;
    for (std::size_t i = 0; i < evaluation.batch.labels.size(); ++i) {
      const float* z = logits.data() + i * outputs;
      evaluation.scores.push_back(loss.logistic() ? z[0] : z[1] - z[0]);
      evaluation.labels.push_back(evaluation.batch.labels[i]);
    }
  }
  if (input_.classes == 2) score.auc = area_under_roc(evaluation.scores, evaluation.labels);
  return score;
}

std::int64_t Network::evaluation_batch() const {
  std::int64_t floats = input_.image.size();
  for (const auto& layer : layers_) floats += layer->output().size();
  if (profiled_) return kEvaluationBatch;
  return std::clamp<std::int64_t>(kEvaluationBytes / (4 * floats), 1, kEvaluationBatch);
}

}  // namespace foretrain
