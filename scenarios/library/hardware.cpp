// The hosts that the library knows by name: scenarios/hardware/NAME.yaml.
#include "scenarios/language/reader.h"
#include "scenarios/library/library.h"
#include "scenarios/spec/cluster_fields.h"
#include "scenarios/spec/reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>

namespace foretrain {
namespace {

HostSpec host_of_library(const std::string& name) {
  const Value root =
      parse_yaml(fmt::format("hosts: [{{like: '{}', name: '{}'}}]\n", name, name), name);
  Reading reading(scenario_keys(), load_preset);
  Reader reader(reading, root, "cluster");
  ClusterSpec cluster;
  describe(reader, cluster);
  reader.finish();
  reading.check_all_used();
  return cluster.hosts.front();
}

/// The words of a device name in capitals. `Tesla V100-SXM2-32GB`: TESLA, V100, SXM2, 32GB.
std::vector<std::string> chip_words(std::string_view called) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : called) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalnum(letter) != 0) {
      word += static_cast<char>(std::toupper(letter));
    } else if (!word.empty()) {
      words.push_back(std::exchange(word, {}));
    }
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

}  // namespace

std::vector<HostSpec> library_hosts() {
  const std::vector<std::string> names = library_names("hardware");
  std::vector<HostSpec> hosts;
  hosts.reserve(names.size());
  for (const std::string& name : names) hosts.push_back(host_of_library(name));
  return hosts;
}

const HostSpec* host_with_device(const std::vector<HostSpec>& hosts, std::string_view called) {
  const std::vector<std::string> words = chip_words(called);
  const auto found = std::ranges::find_if(hosts, [&](const HostSpec& host) {
    const std::vector<std::string> name = chip_words(host.device_name);
    return !name.empty() && std::ranges::all_of(name, [&](const std::string& word) {
      return std::ranges::find(words, word) != words.end();
    });
  });
  return found == hosts.end() ? nullptr : &*found;
}

}  // namespace foretrain
