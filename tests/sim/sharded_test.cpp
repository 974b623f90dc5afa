// Sharded gradients, parameters in virtual time, compared with sums by hand.
#include "tests/sim/sharded_job.h"
#include "tests/support/protocol_options.h"

#include <catch2/catch.hpp>

#include <string>

namespace foretrain::testing {
namespace {
using namespace literals;

// With four layers there are seven gathers, because the last one's two passes are consecutive, and
// four scatters: 3 P minus one layer, of which each of N workers sends (N - 1) / N.
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

// Two hosts of two devices: gathers and half of the sums stay within a host.
TEST_CASE("sharded: with replicas a host sends an all-reduce of one part to the other") {
  ShardedJob job("parameters", 4);
  job.host().count = 2;
  job.host().devices = 2;
  job.host().device_link = {{1e12}, {}, false};
  set_option(job.c.scenario.training.protocol, "group", std::int64_t{2});
  const Record record = job.record();
  const double all = 4 * kShardedLayer;
  // Each worker has half of the parameters, and exchanges 2 (M - 1) / M of that.
  const double between = kShardedSteps * all / 2;
  const double within = kShardedSteps * (3 * 4 - 1) * kShardedLayer / 2.0 + all / 2;
  for (const NodeTotals& node : record.nodes) {
    CHECK(static_cast<double>(node.local->value) == Approx(within).epsilon(2e-3));
    CHECK(static_cast<double>((node.tx - *node.local).value) == Approx(between).epsilon(2e-3));
  }
  // With a slow wire between hosts, the exposed part is that of the sums only.
  job.host().nic = {100e6};
  const double replicas_s = job.step_s();
  CHECK(replicas_s == Approx(all / 100e6).epsilon(0.25));  // two workers' halves, in each direction
  set_option(job.c.scenario.training.protocol, "group", std::int64_t{1});
  CHECK(job.step_s() == Approx((3 * 4 - 1) * 0.75 * kShardedLayer / 100e6).epsilon(0.01));
}

// Four batches of one layer, which both passes of all batches read: parameters are gathered once.
TEST_CASE("sharded: gradients are reduced after each batch unless that is once a step") {
  const auto sent = [](const std::string& shard, const std::string& reduce) {
    ShardedJob job(shard, 4, kShardedLayer, 1);
    job.c.scenario.training.accumulate = 4;
    job.c.scenario.training.steps = 3;
    job.c.scenario.training.reduce = reduce;
    return static_cast<double>(job.record().nodes.front().tx.value);
  };
  const double part = 0.75 * kShardedLayer;
  CHECK(sent("optimizer", "batch") == Approx(3 * 2 * part).epsilon(1e-3));
  CHECK(sent("gradients", "step") == Approx(3 * 2 * part).epsilon(1e-3));
  CHECK(sent("gradients", "batch") == Approx(3 * (4 + 1) * part).epsilon(1e-3));
  CHECK(sent("parameters", "step") == Approx((3 * 2 + 1) * part).epsilon(1e-3));
  CHECK(sent("parameters", "batch") == Approx((3 * (4 + 1) + 1) * part).epsilon(1e-3));
}

// Half of a layer takes 1 ms, which the passes of the next batch hide.
TEST_CASE("sharded: reductions of all batches but the last one's last are hidden") {
  ShardedJob job("gradients", 2);
  job.c.scenario.training.accumulate = 3;
  job.host().nic = {2e9};
  CHECK(job.step_s() == Approx(3 * kShardedCompute_s + 2e-3).epsilon(kShardedHeaders));
  // Half of a layer takes 20 ms: all batches of all layers, then the values.
  job.host().nic = {100e6};
  job.c.scenario.training.steps = 8;
  CHECK(job.step_s() == Approx((3 + 1) * 4 * 20e-3).epsilon(0.15));
  CHECK(job.step_s() > (3 + 1) * 4 * 20e-3);
}

TEST_CASE("sharded: a worker that reduces each batch holds its part of the gradients") {
  const auto rss = [](const std::string& reduce, int accumulate) {
    ShardedJob job("gradients", 4);
    job.c.scenario.training.accumulate = accumulate;
    job.c.scenario.training.reduce = reduce;
    job.host().nic = {2e9};
    return static_cast<double>(job.record().nodes[1].rss->value);
  };
  CHECK(rss("batch", 4) < rss("batch", 1) + kShardedLayer);
  CHECK(rss("step", 4) > rss("batch", 4) + 3 * kShardedLayer);
}

// Half of a layer takes 1 ms, while 2 ms or more of another are computed.
TEST_CASE("sharded: compute hides all but the first gather and the last scatter") {
  ShardedJob job("parameters", 2);
  job.host().nic = {2e9};
  CHECK(job.step_s() == Approx(kShardedCompute_s + 2e-3).epsilon(kShardedHeaders));
  // All-reduce: the forward pass of DDP waits for all; the last layer's sum and values are exposed.
  job.c.scenario.training.shard = "optimizer";
  CHECK(job.step_s() == Approx(kShardedCompute_s + 2e-3).epsilon(2 * kShardedHeaders));
}

// Half of a layer takes 20 ms, longer than any stage: the links are always busy.
TEST_CASE("sharded: links that are too slow take the time of all bytes") {
  ShardedJob job("parameters", 2);
  job.host().nic = {100e6};
  const double unit_s = 20e-3;
  CHECK(job.step_s() == Approx((3 * 4 - 1) * unit_s).epsilon(kShardedHeaders));
  // With half of the bytes, as in half precision, it is half the time.
  job.c.scenario.training.compression.kind = "ratio";
  job.c.scenario.training.compression.ratio = 2;
  CHECK(job.step_s() == Approx((3 * 4 - 1) * unit_s / 2).epsilon(kShardedHeaders));
}

TEST_CASE("sharded: a gather takes what starting it takes before its first message") {
  ShardedJob job("parameters", 2);
  job.c.scenario.framework.collective = 1_ms;
  // The first of seven gathers is exposed, and the last of four scatters.
  CHECK(job.step_s() == Approx(kShardedCompute_s + 2e-3).epsilon(kShardedHeaders));
}

TEST_CASE("sharded: one worker has all it needs") {
  const std::string shard = GENERATE("optimizer", "gradients", "parameters");
  ShardedJob job(shard, 1);
  CHECK(job.step_s() == Approx(kShardedCompute_s));
  CHECK(job.record().nodes.front().tx == Bytes{});
}

// Two workers with one bucket of 200 kB each and nothing else after the gradient: they scatter at
// 20 MB/s, the owner reads its values, its gradient and the other's and writes new values at 100
// MB/s, they gather.
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
    return job.record().nodes[1].rss->value;
  };
  const auto whole = rss("optimizer");
  const auto gradients = rss("gradients");
  CHECK(gradients < whole);
  CHECK(rss("parameters") < gradients);
}

}  // namespace
}  // namespace foretrain::testing
