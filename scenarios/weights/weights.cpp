#include "scenarios/weights/weights.h"

#include "models/base/check.h"
#include "models/networks/named_tensors.h"
#include "scenarios/language/file_errors.h"
#include "scenarios/language/input_error.h"
#include "scenarios/weights/tensor_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string_view>

namespace foretrain {
namespace {

/// The whole content of a file of any length.
std::string bytes_of(const std::filesystem::path& path) {
  check_is_file(path);
  std::ifstream in(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  if (!in) {
    throw InputError(fmt::format("{}: cannot be read; check the path", path.string()));
  }
  return bytes;
}

/// The tensor with this name and this shape.
const Tensor& found_in(const std::vector<Tensor>& tensors, const NamedTensor& wanted) {
  const auto found = std::ranges::find(tensors, wanted.name, &Tensor::name);
  if (found == tensors.end()) {
    throw BadValue(fmt::format("it has no {} {}; take weights of the same model", wanted.name,
                               shape_text(wanted.shape)));
  }
  if (found->shape == wanted.shape) return *found;
  throw BadValue(fmt::format("{} is {}, not {}; take weights of the same model", wanted.name,
                             shape_text(found->shape), shape_text(wanted.shape)));
}

/// The values of `wanted`, each at its position.
std::vector<float> values_of(const std::vector<Tensor>& tensors,
                             const std::vector<NamedTensor>& wanted, std::int64_t count) {
  std::vector<float> values(static_cast<std::size_t>(count));
  for (const NamedTensor& each : wanted) {
    std::ranges::copy(found_in(tensors, each).values,
                      values.begin() + static_cast<std::ptrdiff_t>(each.first));
  }
  return values;
}

Weights weights_of(const std::vector<Tensor>& tensors, const Network& network) {
  const std::vector<NamedTensor> parameters = named_tensors(network);
  const std::vector<NamedTensor> statistics = named_statistics(network);
  Weights weights{values_of(tensors, parameters, network.parameters()),
                  values_of(tensors, statistics, network.statistics())};
  for (const Tensor& tensor : tensors) {
    if (std::ranges::count(parameters, tensor.name, &NamedTensor::name) > 0) continue;
    if (std::ranges::count(statistics, tensor.name, &NamedTensor::name) > 0) continue;
    throw BadValue(fmt::format("{} {} is no tensor of the model; take weights of the same model",
                               tensor.name, shape_text(tensor.shape)));
  }
  return weights;
}

void add_views(const std::vector<NamedTensor>& named, std::span<const float> values,
               std::vector<TensorView>& views) {
  views.reserve(views.size() + named.size());
  for (const NamedTensor& each : named) {
    views.push_back({each.name, each.shape,
                     values.subspan(static_cast<std::size_t>(each.first),
                                    static_cast<std::size_t>(each.count))});
  }
}

}  // namespace

void check_weights_path(const std::filesystem::path& path) {
  if (path.extension() == ".safetensors") return;
  throw InputError(
      fmt::format("{}: weights are written as .safetensors; end the name with it", path.string()));
}

std::string weights_text(const std::filesystem::path& path, const Network& network,
                         std::span<const float> parameters, std::span<const float> statistics) {
  check_weights_path(path);
  FT_CHECK_OP(static_cast<std::int64_t>(parameters.size()), ==, network.parameters());
  FT_CHECK_OP(static_cast<std::int64_t>(statistics.size()), ==, network.statistics());
  std::vector<TensorView> tensors;
  add_views(named_tensors(network), parameters, tensors);
  add_views(named_statistics(network), statistics, tensors);
  return to_safetensors(tensors);
}

Weights read_weights(const std::filesystem::path& path, const Network& network) {
  check_weights_path(path);
  const std::string text = bytes_of(path);
  try {
    return weights_of(parse_safetensors(text), network);
  } catch (const BadValue& error) {
    throw InputError(fmt::format("{}: {}", path.string(), error.what()));
  }
}

}  // namespace foretrain
