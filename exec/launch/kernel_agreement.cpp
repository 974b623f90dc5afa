#include "exec/launch/kernel_agreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace foretrain::exec {
namespace {

// The largest first.
constexpr std::array<std::string_view, 5> kSets{"avx512", "avx2", "sse2", "neon", "portable"};

bool has_kernels(const NodeKernels& node, std::string_view kernels) {
  return node.set == kernels || std::ranges::find(node.others, kernels) != node.others.end();
}

// Names one node for each set.
std::string who_has_which(std::span<const NodeKernels> nodes) {
  std::string text;
  std::vector<std::string_view> named;
  for (const NodeKernels& node : nodes) {
    if (std::ranges::find(named, node.set) != named.end()) continue;
    named.push_back(node.set);
    text += fmt::format("{}{} with {}", text.empty() ? "" : ", ", node.node, node.set);
  }
  return text;
}

}  // namespace

KernelAgreement agree_on_kernels(std::span<const NodeKernels> nodes, std::string_view preferred) {
  std::vector<std::string> common = nodes.front().others;
  common.insert(common.begin(), nodes.front().set);
  std::erase_if(common, [&](const std::string& kernels) {
    return !std::ranges::all_of(
        nodes, [&](const NodeKernels& node) { return has_kernels(node, kernels); });
  });
  if (common.empty()) {
    return {
        {},
        fmt::format("nodes compute with different kernels, whose results differ: {}; install the "
                    "package, which has avx2 and avx512, on every host, or build there with the "
                    "same -DFORETRAIN_ARCH, such as x86-64-v3; if FORETRAIN_KERNELS is set, set "
                    "the same value on all hosts",
                    who_has_which(nodes))};
  }
  if (std::ranges::find(common, preferred) != common.end()) return {std::string(preferred), {}};
  const auto place = [](const std::string& kernels) {
    return std::distance(kSets.begin(), std::ranges::find(kSets, kernels));
  };
  return {*std::ranges::min_element(common, {}, place), {}};
}

KernelAgreement keep_kernels(std::span<const NodeKernels> nodes, std::string_view before) {
  const auto has = [&](const NodeKernels& node) { return has_kernels(node, before); };
  const auto lacks = std::ranges::find_if_not(nodes, has);
  if (lacks == nodes.end()) return {std::string(before), {}};
  return {{},
          fmt::format(
              "{} computes with {} kernels, but all began with {}, whose results differ; start it "
              "on a host that has these, or restart all nodes",
              lacks->node, lacks->set, before)};
}

}  // namespace foretrain::exec
