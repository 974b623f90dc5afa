// Gradients, parameters in parts in virtual time, against sums by hand.
#include "sim/driver/simulate.h"
#include "tests/support/cases.h"
#include "tests/support/temp_folder.h"

#include <catch2/catch.hpp>

#include <fstream>
#include <stdexcept>
#include <string>

namespace foretrain::testing {
namespace {
using namespace literals;

constexpr int kShardedSteps = 5;
constexpr std::int64_t kShardedLayer = 4'000'000;  // bytes of a layer
constexpr double kShardedCompute_s = 32e-3;  // of four layers: 2 ms forward, 6 ms backward, each
constexpr double kShardedHeaders = 0.005;    // what a sum of times leaves out

/// Four layers on workers with a host, a device each; nothing costs time but what a test says.
class ShardedJob {
 public:
  ShardedJob(const std::string& shard, int workers, std::int64_t layer = kShardedLayer) {
    std::ofstream layers(folder_ / "four.csv");
    layers << "layer,parameter_bytes,forward_ms,backward_ms\n";
    for (int i = 0; i < 4; ++i) layers << "layer" << i << ',' << layer << ",2,6\n";
    Scenario& s = c.scenario;
    s.name = "sharded";
    s.model.profile = folder_ / "four.csv";
    s.model.profile_batch = 32;
    s.numerics = false;
    s.training.strategy = "all_reduce";
    s.training.shard = shard;
    s.training.workers = workers;
    s.training.batch_size = 32;
    s.training.steps = kShardedSteps;
    s.training.bucket_rule = "ddp";
    s.training.bucket_size = {layer};
    HostSpec host;
    host.name = "box";
    host.count = workers;
    host.devices = 1;
    host.nic = {1e18};
    s.cluster.hosts = {host};
    s.cluster.tcp = false;
  }

  [[nodiscard]] Record record() const {
    sim::SimulateOptions options;
    options.usage_interval = {};
    options.machines = [](const std::string&) -> Machine { throw std::logic_error("not asked"); };
    Record record = testing::simulate(c, options);
    REQUIRE(record.outcome == Outcome::done);
    return record;
  }
  /// In the mean.
  [[nodiscard]] double step_s() const {
    return record().time.seconds() / static_cast<double>(c.scenario.training.steps);
  }
  HostSpec& host() { return c.scenario.cluster.hosts.front(); }

  Case c;

 private:
  TempFolder folder_;
};

// Of four layers seven are gathered, for the last one's both passes follow each other; four are
// scattered: 3 P less one layer, of which each of N workers sends (N - 1) / N.
TEST_CASE("sharded: parameters in parts move three times theirs but for the last layer") {
  const int workers = GENERATE(2, 4);
  CAPTURE(workers);
  const double part = static_cast<double>(workers - 1) / workers;
  const ShardedJob job("parameters", workers);
  const double step = part * (3 * 4 - 1) * kShardedLayer;
  const double end = part * 4 * kShardedLayer;  // everything once, for the last evaluation
  for (const NodeTotals& node : job.record().nodes) {
    CHECK(static_cast<double>(node.tx.value) == Approx(kShardedSteps * step + end).epsilon(1e-3));
  }
  const ShardedJob plain("optimizer", workers);
  for (const NodeTotals& node : plain.record().nodes) {
    CHECK(static_cast<double>(node.tx.value) ==
          Approx(kShardedSteps * part * 2 * 4 * kShardedLayer).epsilon(1e-3));
  }
}

// Half of a layer takes 1 ms, while 2 ms or more of another are computed.
TEST_CASE("sharded: compute hides all but the first gather and the last scatter") {
  ShardedJob job("parameters", 2);
  job.host().nic = {2e9};
  CHECK(job.step_s() == Approx(kShardedCompute_s + 2e-3).epsilon(kShardedHeaders));
  // All-reduce: a forward pass of DDP waits for all; the last layer's sum and values are exposed.
  job.c.scenario.training.shard = "optimizer";
  CHECK(job.step_s() == Approx(kShardedCompute_s + 2e-3).epsilon(2 * kShardedHeaders));
}

// Half of a layer takes 20 ms, longer than any stage: the links are always busy.
TEST_CASE("sharded: links that are too slow take the time of all bytes") {
  ShardedJob job("parameters", 2);
  job.host().nic = {100e6};
  const double unit_s = 20e-3;
  CHECK(job.step_s() == Approx((3 * 4 - 1) * unit_s).epsilon(kShardedHeaders));
  // So are half as many in half precision.
  job.c.scenario.training.compression.kind = "ratio";
  job.c.scenario.training.compression.ratio = 2;
  CHECK(job.step_s() == Approx((3 * 4 - 1) * unit_s / 2).epsilon(kShardedHeaders));
}

TEST_CASE("sharded: a gather takes what starting it takes before its first message") {
  ShardedJob job("parameters", 2);
  job.c.scenario.framework.collective = 1_ms;
  // Of seven gathers the first one's is exposed, of four scatters the last one's.
  CHECK(job.step_s() == Approx(kShardedCompute_s + 2e-3).epsilon(kShardedHeaders));
}

TEST_CASE("sharded: one worker has all it needs") {
  const std::string shard = GENERATE("optimizer", "gradients", "parameters");
  ShardedJob job(shard, 1);
  CHECK(job.step_s() == Approx(kShardedCompute_s));
  CHECK(job.record().nodes.front().tx == Bytes{});
}

// Two workers, one bucket each of 200 kB, nothing beside the gradient: they scatter at 20 MB/s, the
// owner reads its values, its gradient, the other's, writes new values at 100 MB/s, they gather.
TEST_CASE("sharded: gradients in parts take scatter and half an update and gather") {
  const std::string shard = GENERATE("optimizer", "gradients");
  ShardedJob job(shard, 2, 100'000);
  job.c.scenario.training.bucket_rule = "size";
  job.c.scenario.training.bucket_size = {1'000'000'000};
  job.c.scenario.training.overlap = false;
  job.host().nic = {20e6};
  job.host().device = {1'000'000, {100e6}, {}};
  job.host().device_updates = true;
  const double half_s = 200e3 / 20e6;
  const double apply_s = 4 * 200e3 / 100e6;
  CHECK(job.step_s() == Approx(kShardedCompute_s + half_s + apply_s + half_s).epsilon(1e-2));
}

TEST_CASE("sharded: what is in parts takes less memory") {
  const auto rss = [](const std::string& shard) {
    ShardedJob job(shard, 4);
    job.host().nic = {2e9};
    return job.record().nodes[1].rss.value;
  };
  const auto whole = rss("optimizer");
  const auto gradients = rss("gradients");
  CHECK(gradients < whole);
  CHECK(rss("parameters") < gradients);
}

}  // namespace
}  // namespace foretrain::testing
