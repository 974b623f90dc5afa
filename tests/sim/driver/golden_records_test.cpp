// Records without numerics are the same bytes whatever the compiler was told.
#include "reports/record/files.h"
#include "tests/support/cases.h"
#include "tests/support/places.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace foretrain::testing {
namespace {
using namespace literals;

HostSpec host_of(const std::string& name, int count, BytesPerSecond nic) {
  HostSpec host;
  host.name = name;
  host.count = count;
  host.nic = nic;
  host.latency = 25_us;
  return host;
}

StragglerSpec drawn(const std::string& distribution) {
  StragglerSpec spec;
  spec.distribution = distribution;
  if (distribution == "lognormal") spec.sigma = 0.3;
  if (distribution == "pareto") spec.shape = 2.5;
  return spec;
}

// Two shards, slow start, uplinks that are too thin, jitter.
Case leaves() {
  Case c = small_case("sync", 6, 20);
  Scenario& s = c.scenario;
  s.training.servers = 2;
  s.training.bucket_size = {4'000};
  s.training.evaluate_every = 5;
  s.cluster.hosts = {host_of("node", 6, {125e6}), host_of("big", 2, {1.25e9})};
  s.cluster.hosts[0].compute = 3_ms;
  s.cluster.hosts[1].compute = 2_ms;
  s.cluster.topology = "leaf_spine";
  s.cluster.leaf_spine = {.hosts_per_leaf = 3, .spines = 2, .oversubscription = 6, .latency = 2_us};
  s.stragglers = {drawn("lognormal")};
  return c;
}

// One machine whose cores all nodes share, a death, pauses, a worker that is late.
Case one_machine() {
  Case c = small_case("ssp", 5, 40);
  Scenario& s = c.scenario;
  s.training.protocol.staleness = 2;
  s.stragglers = {drawn("pareto"), {}, {}, {}};
  s.stragglers[1].pause = 3_ms;
  s.stragglers[1].every = 10_ms;
  s.stragglers[2].workers = {3};
  s.stragglers[2].dies_at = 12_ms;
  s.stragglers[3].workers = {1};
  s.stragglers[3].joins_at = 4_ms;
  return c;
}

// A ring of described machines behind token buckets, over listed links.
Case ring() {
  Case c = small_case("all_reduce", 4, 15);
  Scenario& s = c.scenario;
  s.model.name = "mlp";
  s.training.bucket_size = {20'000};
  s.cluster.hosts = {host_of("node", 4, {125e6})};
  s.cluster.hosts[0].roofline = {20, {1e10}, 10_us};
  s.cluster.hosts[0].receive = {3e-6, 1e-10};
  s.cluster.topology = "links";
  for (int i = 0; i < 4; ++i) {
    s.cluster.links.push_back({fmt::format("node{}", i), i < 2 ? "left" : "right", {125e6}, 20_us});
  }
  s.cluster.links.push_back({"left", "right", {60e6}, 5_us});
  s.stragglers = {drawn("exponential")};
  return c;
}

std::string sha256(std::string_view text) {
  std::array<unsigned char, 32> digest{};
  REQUIRE(EVP_Digest(text.data(), text.size(), digest.data(), nullptr, EVP_sha256(), nullptr) == 1);
  return fmt::format("{:02x}", fmt::join(digest, ""));
}

using Digests = std::vector<std::pair<std::string, std::string>>;

// Of each file of each record, by `scenario/file`.
Digests digests_now() {
  Digests digests;
  for (auto [name, scenario_case] : std::vector<std::pair<std::string, Case>>{
           {"leaves", leaves()}, {"one_machine", one_machine()}, {"ring", ring()}}) {
    scenario_case.scenario.numerics = false;
    sim::SimulateOptions options;
    options.machines = [](const std::string&) { return made_up_machine(); };
    options.usage_interval = 5_ms;
    Record record = sim::simulate(scenario_case, options);
    INFO(record.failure);
    REQUIRE(record.outcome == Outcome::done);
    // Of this processor: buffers are padded to whole vectors of its kernels.
    record.kernel_set.clear();
    for (NodeTotals& node : record.nodes) node.rss = {};
    for (UsageRow& row : record.usage) row.rss = {};
    for (const auto& [file, text] : record_files(record)) {
      digests.emplace_back(fmt::format("{}/{}", name, file), sha256(text));
    }
  }
  return digests;
}

TEST_CASE("simulate: without numerics records are the recorded bytes in builds of any type") {
  const std::string path = source_dir() + "/tests/golden/records.txt";
  const Digests now = digests_now();
  if (std::getenv("FORETRAIN_REWRITE_GOLDEN") != nullptr) {
    std::ofstream file(path);
    file << "# SHA-256 of each file of three simulated records, numerics off.\n"
            "# Notice: a change of what is simulated, or of how it is written, changes them.\n"
            "# Rewritten by FORETRAIN_REWRITE_GOLDEN=1; builds of every type have to agree.\n";
    for (const auto& [name, digest] : now) file << name << ' ' << digest << '\n';
  }
  std::ifstream file(path);
  REQUIRE(file.good());
  Digests golden;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream words(line);
    auto& [name, digest] = golden.emplace_back();
    REQUIRE((words >> name >> digest));
  }
  CHECK(now == golden);
}

}  // namespace
}  // namespace foretrain::testing
