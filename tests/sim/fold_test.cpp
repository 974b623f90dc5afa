// Simulations of some hosts for all alike, compared with simulations of all hosts.
#include "sim/world/fold.h"

#include "models/base/random.h"
#include "sim/whatif/critical_path.h"
#include "tests/sim/sharded_job.h"
#include "tests/support/protocol_options.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <array>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

namespace foretrain::testing {
namespace {
using namespace literals;

Record simulated(const Case& c, bool whole, bool summary = false, sim::History* history = nullptr) {
  sim::SimulateOptions options;
  options.variant.history = history;
  options.usage_interval = summary ? Duration{} : 50_ms;
  options.machines = [](const std::string&) -> Machine { throw std::logic_error("not asked"); };
  options.summary_only = summary;
  options.whole = whole;
  return testing::simulate(c, options);
}

/// Draws a case that is folded.
class DrawnCase {
 public:
  explicit DrawnCase(std::uint64_t seed) : draws_(seed, "fold"), job_("optimizer", 2) {
    const int devices = one_of(1, 2, 4);
    const int hosts = one_of(2, 3, 4, 5, 7, 8, 12, 16);
    Scenario& s = job_.c.scenario;
    write_layers(s);
    s.training.workers = hosts * devices;
    s.training.shard = one_of<std::string>("optimizer", "gradients", "parameters");
    s.training.bucket_size = {one_of(30'000, 400'000, 3'000'000)};
    s.training.steps = one_of(2, 3);
    s.training.accumulate = one_of(1, 1, 2);
    if (s.training.accumulate > 1 && s.training.shard != "optimizer") {
      s.training.reduce = one_of<std::string>("batch", "step");
    }
    if (s.training.shard != "gradients") {
      set_option(s.training.protocol, "group", one_of(1, devices));
    }
    // Gathers go round a ring, so sums over a hypercube are not folded with them.
    if (s.training.shard == "parameters") set_option(s.training.protocol, "algorithm", "ring");
    s.framework.collective = one_of(0_us, 0_us, 40_us);
    s.framework.step = one_of(0_us, 300_us);
    s.cluster.tcp = one_of(0, 1) == 1;
    HostSpec& host = job_.host();
    host.count = hosts;
    host.devices = devices;
    host.cores = one_of(devices, 8);
    host.nic = {one_of(1.25e8, 1.25e9, 3e10)};
    host.latency = one_of(0_us, 5_us, 50_us);
    host.flow_rate = {one_of(0.0, 0.0, 6e8)};
    host.ports = one_of(1, 1, 2);
    host.device_link.rate = {one_of(0.0, 1e10, 1.5e11)};
    if (host.device_link.rate.value > 0) host.device_link.latency = one_of(0_us, 3_us);
    if (one_of(0, 1) == 1) host.send = host.receive = {2e-6, 0.1e-9};
    if (one_of(0, 1) == 1) host.transport = "rdma";
    split_hosts(one_of(0, 0, hosts / 2));
    if (one_of(0, 1) == 0) return;
    s.cluster.topology = "leaf_spine";
    s.cluster.leaf_spine.hosts_per_leaf = hosts % 3 == 0 ? 3 : hosts % 2 == 0 ? 2 : hosts;
    s.cluster.leaf_spine.oversubscription = one_of(1.0, 2.5);
    s.cluster.leaf_spine.latency = one_of(0_us, 7_us);
  }

  [[nodiscard]] const Case& operator*() const { return job_.c; }

 private:
  template <class Value, class... More>
  Value one_of(Value first, More... more) {
    const std::array<Value, 1 + sizeof...(More)> all{first, Value(more)...};
    return all[draws_.below(all.size())];
  }
  /// Writes the last of the hosts as others, with the same figures.
  void split_hosts(int last) {
    if (last == 0) return;
    HostSpec others = job_.host();
    others.name = "more";
    others.count = last;
    job_.host().count -= last;
    job_.c.scenario.cluster.hosts.push_back(std::move(others));
  }
  void write_layers(const Scenario& s) {
    const int small = one_of(1, 1, 20);  // over a hypercube, if the number of workers suits it
    std::ofstream layers(s.model.profile.path);
    layers << "layer,parameter_bytes,forward_ms,backward_ms\n";
    for (int i = 0; i < 5; ++i) {
      layers << fmt::format("layer{},{},{},{}\n", i,
                            4 * (one_of(1'000, 77'777, 250'001, 900'000) / small),
                            one_of("0.5", "2"), one_of("1", "4.5"));
    }
  }

  Stream draws_;
  ShardedJob job_;
};

TEST_CASE("fold: one host of those that are alike gives the record of all, drawn cases") {
  const auto seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{151}));
  const DrawnCase drawn(seed);
  const Scenario& s = (*drawn).scenario;
  CAPTURE(seed, s.training.workers, s.training.shard, s.cluster.hosts[0].devices,
          s.cluster.topology);
  const Record whole = simulated(*drawn, true);
  Record folded = simulated(*drawn, false);
  REQUIRE(whole.outcome == Outcome::done);
  CHECK(whole.simulated.empty());
  CHECK_THAT(folded.simulated,
             Catch::EndsWith(
                 fmt::format(" of {} alike", s.training.workers / s.cluster.hosts[0].devices)));
  folded.simulated.clear();
  CHECK(folded.time.ns == whole.time.ns);
  CHECK(folded == whole);  // with a row for each step and each sample of the usage of each worker
}

sim::CriticalPath path_of(const Case& c, bool whole) {
  sim::History history;
  const Record record = simulated(c, whole, true, &history);
  return sim::critical_path(history, Instant{} + record.time);
}

TEST_CASE("fold: the critical path through one host takes as long for the same reasons") {
  const auto seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{61}));
  const DrawnCase drawn(seed);
  CAPTURE(seed);
  const sim::CriticalPath whole = path_of(*drawn, true);
  const sim::CriticalPath folded = path_of(*drawn, false);
  CHECK(folded.length == whole.length);
  CHECK(folded.times == whole.times);
}

TEST_CASE("fold: a summary of one host is the summary of all") {
  const DrawnCase drawn(7);
  const Record whole = simulated(*drawn, true, true);
  Record folded = simulated(*drawn, false, true);
  CHECK(folded.step_totals->steps == whole.step_totals->steps);
  CHECK(folded.step_totals->median == whole.step_totals->median);
  CHECK(folded.step_totals->by_worker == whole.step_totals->by_worker);
  folded.simulated.clear();
  CHECK(folded == whole);
}

TEST_CASE("fold: a ring of 1,024 takes 2 (N - 1) / N of its bytes, by hand") {
  ShardedJob job("optimizer", 1'024, 40'960'000, 1);
  job.host().nic = {1.25e9};
  const Record record = simulated(job.c, false, true);
  CHECK(record.simulated == "1 host of 1024 alike");
  CHECK(record.nodes.size() == 1'024);
  const double bytes_s = 2.0 * 1'023 / 1'024 * 40'960'000 / 1.25e9;
  CHECK(record.time.seconds() / kShardedSteps == Approx(8e-3 + bytes_s).epsilon(0.03));
}

TEST_CASE("fold: of hosts at leaves, those of one leaf are simulated") {
  ShardedJob job("optimizer", 6);
  job.c.scenario.cluster.topology = "leaf_spine";
  job.c.scenario.cluster.leaf_spine.hosts_per_leaf = 3;
  CHECK(simulated(job.c, false, true).simulated == "3 hosts of 6 alike");
}

TEST_CASE("fold: what tells workers apart is simulated whole") {
  const auto is_folded = [](const std::function<void(Scenario&)>& change) {
    ShardedJob job("optimizer", 6);
    change(job.c.scenario);
    return !simulated(job.c, false, true).simulated.empty();
  };
  CHECK(is_folded([](Scenario&) {}));
  CHECK(!is_folded([](Scenario& s) {
    StragglerSpec slow;
    slow.workers = {1};
    slow.slowdown = 2;
    s.stragglers = {slow};
  }));
  CHECK(!is_folded([](Scenario& s) { s.training.evaluate_every = 2; }));
  CHECK(!is_folded([](Scenario& s) { s.checkpoint.every.steps = 2; }));
  CHECK(!is_folded([](Scenario& s) { s.dataset.input.parse = 1_us; }));
  CHECK(!is_folded([](Scenario& s) { s.training.bucket_rule = "size"; }));
  CHECK(is_folded([](Scenario& s) { s.cluster.topology = "leaf_spine"; }));  // of one leaf
  const auto leaves = [](int hosts, int spines) {
    return [=](Scenario& s) {
      s.cluster.topology = "leaf_spine";
      s.cluster.leaf_spine = {hosts, spines};
    };
  };
  CHECK(is_folded(leaves(3, 1)));
  const auto with_workers = [&](int workers) {  // on eight hosts at two leaves
    return [=](Scenario& s) {
      leaves(4, 1)(s);
      s.cluster.hosts[0].count = 8;
      s.training.workers = workers;
    };
  };
  CHECK(is_folded(with_workers(8)));
  CHECK(!is_folded(with_workers(6)));
  CHECK(!is_folded(with_workers(2)));
  CHECK(!is_folded(leaves(4, 1)));  // the second leaf is not full
  CHECK(!is_folded(leaves(3, 2)));  // pairs of hosts choose a spine
  CHECK(!is_folded([](Scenario& s) { set_option(s.training.protocol, "algorithm", "tree"); }));
  CHECK(!is_folded([](Scenario& s) { set_option(s.training.protocol, "group", 2); }));
  CHECK(!is_folded([](Scenario& s) { s.cluster.hosts[0].mtbf = 100_s; }));
  CHECK(!is_folded([](Scenario& s) {
    s.cluster.hosts.push_back(s.cluster.hosts[0]);
    s.cluster.hosts[0].count = s.cluster.hosts[1].count = 3;
    s.cluster.hosts[1].name = "slower";
    s.cluster.hosts[1].nic = {1e9};
  }));
}

}  // namespace
}  // namespace foretrain::testing
