// Suggestions with which a training fits: each is enough, with no superfluous part.
#include "scenarios/resolve/memory_fit.h"

#include "tests/scenarios/messages.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

namespace foretrain {
namespace {

struct TightJob {
  std::string model;
  std::string training;
  std::string host = "dgx-a100";  // 8 x 40 GiB
  int hosts = 1;
};

Prepared tight_case(const TightJob& job, const std::vector<std::string>& overrides = {}) {
  const std::string text = fmt::format(
      "foretrain: 1\nname: fitting\nmodel: {{{}}}\ntraining: {{strategy: all_reduce, workers: {}, "
      "steps: 3, optimizer: {{name: adam}}, {}}}\ncluster: {{hosts: [{{like: {}, count: {}}}]}}\n",
      job.model, 8 * job.hosts, job.training, job.host, job.hosts);
  return prepare(parse_scenario(text, "x.yaml", overrides).at(0), Need::shape);
}

std::vector<std::string> split_at(std::string_view text, std::string_view by) {
  std::vector<std::string> parts;
  for (std::size_t end = 0; (end = text.find(by)) != text.npos; text.remove_prefix(end + by.size()))
    parts.emplace_back(text.substr(0, end));
  parts.emplace_back(text);
  return parts;
}

/// The overrides for a part of a suggestion: `shard: parameters`, `16 devices`.
std::vector<std::string> fitting_overrides(const std::string& part) {
  if (part.ends_with(" devices")) {
    const int devices = std::stoi(part);
    return {fmt::format("training.workers={}", devices),
            fmt::format("cluster.hosts[0].count={}", devices / 8)};
  }
  const auto colon = part.find(": ");
  REQUIRE(colon != std::string::npos);
  return {fmt::format("training.{}={}", part.substr(0, colon), part.substr(colon + 2))};
}

bool fits_so(const TightJob& job, const std::vector<std::string>& parts) {
  std::vector<std::string> overrides;
  for (const std::string& part : parts) {
    for (std::string& each : fitting_overrides(part)) overrides.push_back(std::move(each));
  }
  return device_memory(tight_case(job, overrides)).fits();
}

TEST_CASE("fitting: each suggestion is enough, and needs each of its parts") {
  const std::string llama = "network: llama-3-8b, sequence: ";
  const TightJob job = GENERATE_COPY(
      TightJob{llama + "2048", "shard: none, batch_size: 8"},
      TightJob{llama + "8192", "shard: optimizer, batch_size: 4"},
      TightJob{llama + "8192", "shard: parameters, batch_size: 4"},
      TightJob{"network: gpt2-xl, sequence: 1024", "shard: none, batch_size: 32"},
      TightJob{"network: llama-2-13b", "shard: gradients, batch_size: 8", "dgx-a100", 2},
      TightJob{"network: llama-3-70b, sequence: 4096", "batch_size: 2", "dgx-h100"},
      TightJob{"network: llama-3-70b, sequence: 4096", "shard: parameters, batch_size: 1",
               "dgx-h100"},
      TightJob{"network: vit-b-16, precision: fp16", "batch_size: 2048, recompute: full", "dgx-1"});
  CAPTURE(job.model, job.training, job.host);
  const Prepared ready = tight_case(job);
  REQUIRE_FALSE(device_memory(ready).fits());
  const std::string text = what_would_fit(ready);
  CAPTURE(text);
  REQUIRE_FALSE(text.empty());
  for (const std::string& each : split_at(text, ", or ")) {
    const std::vector<std::string> parts = split_at(each, ", ");
    CAPTURE(each);
    CHECK(fits_so(job, parts));
    for (std::size_t i = 0; i < parts.size(); ++i) {
      std::vector<std::string> fewer = parts;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      CAPTURE(parts[i]);
      CHECK_FALSE(fits_so(job, fewer));
    }
  }
}

TEST_CASE("fitting: one setting, several, more devices") {
  const std::string llama = "network: llama-3-8b, sequence: 2048";
  CHECK(what_would_fit(tight_case({llama, "shard: none, batch_size: 1"})) == "shard: parameters");
  CHECK(what_would_fit(tight_case({llama, "shard: none, batch_size: 8"})) ==
        "shard: parameters, recompute: full");
  CHECK(what_would_fit(tight_case(
            {"network: llama-3-70b, sequence: 2048", "shard: parameters, batch_size: 1"})) ==
        "recompute: full, 64 devices");
}

TEST_CASE("fitting: nothing is proposed that the scenario cannot have") {
  // Trees add up whole gradients, so parameters cannot be sharded.
  const std::string text = what_would_fit(
      tight_case({"network: llama-3-8b, sequence: 2048", "algorithm: tree, batch_size: 2"}));
  CAPTURE(text);
  CHECK(text.find("shard: parameters") == std::string::npos);
}

TEST_CASE("fitting: the smallest memory of the hosts that have workers counts") {
  const auto capacity = [](int workers) {
    const std::string text = fmt::format(
        "foretrain: 1\nmodel: {{network: gpt2}}\ntraining: {{strategy: all_reduce, workers: {}, "
        "steps: 3}}\ncluster: {{hosts: [{{like: dgx-h100}}, {{like: dgx-a100}}]}}\n",
        workers);
    return device_memory(prepare(parse_scenario(text, "x.yaml").at(0), Need::shape)).capacity.value;
  };
  CHECK(capacity(8) == std::int64_t{80} << 30);
  CHECK(capacity(16) == std::int64_t{40} << 30);
}

}  // namespace
}  // namespace foretrain
