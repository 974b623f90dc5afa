// The name of a case in messages, in folders.
#include "scenarios/spec/scenario.h"

#include "models/base/random.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string_view>

namespace foretrain {
namespace {

/// The last part of a key with its index: `nic` of `cluster.hosts[0].nic`, `workers[1]`.
std::string last_part(const std::string& key) { return key.substr(key.rfind('.') + 1); }

/// `text` as a part of a file name that needs no quotes in a shell.
std::string for_file_name(std::string text) {
  constexpr std::size_t kLengthMax = 200;  // file systems allow 255 bytes
  constexpr auto kNowhere = std::string_view::npos;
  std::ranges::replace_if(
      text,
      [](unsigned char c) {
        return !std::isalnum(c) && c < 0x80 && std::string_view("=,._+-").find(c) == kNowhere;
      },
      '-');
  if (text.empty() || text.front() == '.') text.insert(0, 1, '-');
  text.resize(std::min(text.size(), kLengthMax));
  return text;
}

}  // namespace

std::vector<std::string> precision_names() { return {"fp32", "tf32", "fp16", "bf16", "fp8"}; }

int number_bytes(const std::string& precision) { return precision.ends_with("32") ? 4 : 2; }

std::string ModelSpec::label() const {
  if (!network.empty()) return network;
  if (profiled()) {
    return std::filesystem::path(config.empty() ? profile.path : config).stem().string();
  }
  if (layers.empty()) {
    if (options.hidden == NetworkOptions{}.hidden) return name;
    return fmt::format("{}-{}", name, fmt::join(options.hidden, "-"));
  }
  std::string text;
  for (const LayerSpec& l : layers) {
    text += fmt::format("{} {} {} {} {} {} {} {} {}\n", l.kind, l.units, l.size, l.step(),
                        l.padding, l.rate, l.alpha, l.beta, l.k);
    if (!l.bias) text += "no bias\n";
    if (l.kind == "batch_norm") text += fmt::format("{} {}\n", l.epsilon, l.momentum);
    if (l.kind == "add") text += fmt::format("{}\n", l.from);
  }
  return fmt::format("layers-{:08x}", Stream(0, text).bits() >> 32);
}

std::string Case::label() const {
  if (settings.empty()) return for_file_name(scenario.name);
  std::string label;
  for (const Setting& setting : settings) {
    if (!label.empty()) label += ',';
    label += last_part(setting.key) + "=" + setting.value;
  }
  return for_file_name(label);
}

std::string Case::place_of(std::string key) const {
  while (true) {
    if (const auto found = places.find(key); found != places.end()) return found->second;
    if (key.empty()) return {};
    const std::size_t end = key.find_last_of(".[");
    key.resize(end == std::string::npos ? 0 : end);
  }
}

}  // namespace foretrain
