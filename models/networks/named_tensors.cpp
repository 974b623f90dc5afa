#include "models/networks/named_tensors.h"

#include <fmt/format.h>

#include <map>

namespace foretrain {
namespace {

/// The kind of a layer: `conv` for `conv 6@5x5 pad 2 + relu`.
std::string kind_of(const Layer& layer) {
  const std::string name = layer.name();
  return name.substr(0, name.find(' '));
}

/// Names by layer, of layers with parameters: `conv1`, `conv2`, `dense1`.
std::map<int, std::string> names_of(const Network& network) {
  std::map<int, std::string> names;
  std::map<std::string, int> met;
  for (const ParameterBlock& block : network.blocks()) {
    if (names.contains(block.layer)) continue;
    const std::string kind = kind_of(*network.layers()[static_cast<std::size_t>(block.layer)]);
    names[block.layer] = fmt::format("{}{}", kind, ++met[kind]);
  }
  return names;
}

}  // namespace

std::vector<NamedTensor> named_tensors(const Network& network) {
  const std::map<int, std::string> names = names_of(network);
  std::vector<NamedTensor> tensors;
  for (const ParameterBlock& block : network.blocks()) {
    const Layer& layer = *network.layers()[static_cast<std::size_t>(block.layer)];
    NamedTensor& tensor = tensors.emplace_back();
    tensor.name = fmt::format("{}.{}", names.at(block.layer), block.bias ? "bias" : "weight");
    tensor.shape = block.bias ? std::vector{block.count} : layer.weight_shape();
    tensor.first = block.first;
    tensor.count = block.count;
  }
  return tensors;
}

std::vector<NamedTensor> named_statistics(const Network& network) {
  const std::map<int, std::string> names = names_of(network);
  std::vector<NamedTensor> tensors;
  for (std::size_t i = 0; i < network.layers().size(); ++i) {
    std::int64_t first = network.first_statistic(i);
    for (const Statistic& each : network.layers()[i]->statistics()) {
      tensors.push_back({fmt::format("{}.{}", names.at(static_cast<int>(i)), each.name),
                         {each.count},
                         first,
                         each.count});
      first += each.count;
    }
  }
  return tensors;
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (const std::int64_t size : shape) text += fmt::format("[{}]", size);
  return text;
}

}  // namespace foretrain
