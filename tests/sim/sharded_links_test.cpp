// Sharded parameters on hosts with unequal links: faster links make no step longer.
#include "models/base/random.h"
#include "tests/sim/sharded_job.h"
#include "tests/support/protocol_options.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

namespace foretrain::testing {
namespace {

/// Workers on devices, with one link rate inside a host and its NIC's rate between hosts.
struct Links {
  int hosts = 2;
  int devices = 2;
  double link = 10e9;
  double nic = 10e9;
};

void place(ShardedJob& job, const Links& links) {
  HostSpec& host = job.host();
  host.count = links.hosts;
  host.cores = links.devices;
  host.devices = links.devices;
  host.device_link.rate = {links.link};
  host.nic = {links.nic};
}

// At least 2 ms of compute per unit hide its gather except the first, its sums except the last. A
// unit of 8 workers has 32 or 4 pieces.
TEST_CASE("sharded links: unequal links take the time of all bytes over the slowest of them") {
  const auto [hosts, devices] = GENERATE(table<int, int>({{2, 2}, {4, 2}, {8, 1}, {2, 4}}));
  const std::int64_t unit = GENERATE(8'000'000, 1'000'000);
  const double faster = GENERATE(0.5, 1, 1.1, 1.25, 2, 10);
  CAPTURE(hosts, devices, unit, faster);
  const int workers = hosts * devices;
  ShardedJob job("parameters", workers, unit, 6);
  const double link = static_cast<double>(unit) / 1e-3;
  place(job, {hosts, devices, link, faster * link});
  const double slowest = devices > 1 ? std::min(1.0, faster) : faster;
  const double part_s = 1e-3 / slowest * (workers - 1) / workers;
  // With unequal links, a worker that has all sums early begins the next gather meanwhile.
  const double exposed_s = job.step_s() - 6 * 8e-3;
  CHECK(exposed_s < 2 * part_s * (1 + 6 * kShardedHeaders));
  CHECK(exposed_s > (faster == 1 || devices == 1 ? 2 : 1.6) * part_s);
}

TEST_CASE("sharded links: latency takes a gather as long as its way beside its bytes") {
  ShardedJob job("parameters", 8, 8'000'000, 4);
  place(job, {4, 2, 8e9, 8e9});
  job.host().latency = Duration{10'000};
  job.host().device_link.latency = Duration{10'000};
  const double part_s = 7.0 / 8 * 1e-3;
  CHECK(job.step_s() < kShardedCompute_s + 2 * (part_s + 7 * 20e-6) * (1 + kShardedHeaders));
  CHECK(job.step_s() > kShardedCompute_s + 2 * part_s);
}

/// A job with random links, some slower than its compute, and one slow worker.
std::unique_ptr<ShardedJob> drawn(Stream& draw, const std::string& shard) {
  const auto one_of = [&](auto... of) {
    const std::array all{of...};
    return all[draw.below(all.size())];
  };
  const Links links{one_of(1, 2, 3, 4), one_of(1, 2, 4), one_of(1.0, 2.0, 4.0) * 1e9,
                    one_of(0.25, 0.8, 1.0, 1.1, 2.0, 5.0) * 1e9};
  const std::int64_t unit = one_of(400'000, 2'000'000, 8'000'000);
  const int workers = std::max(2, links.hosts * links.devices);
  auto job = std::make_unique<ShardedJob>(shard, workers, unit, one_of(1, 3, 6));
  set_option(job->c.scenario.training.protocol, "algorithm", "ring");  // small ones, too
  place(*job, links);
  if (links.hosts * links.devices < 2) job->host().count = 2;
  TrainingSpec& training = job->c.scenario.training;
  training.bucket_rule = one_of("ddp", "size");
  training.bucket_size = {one_of(100'000, 1'000'000, 4'000'000)};
  training.accumulate = one_of(1, 1, 2);
  if (training.accumulate > 1) training.reduce = one_of("batch", "step");
  if (shard == "optimizer") training.reduce = "batch";  // it is reduced once per step
  if (draw.below(2) > 0) {
    job->host().latency = job->host().device_link.latency = Duration{20'000};
  }
  if (draw.below(2) > 0) {
    StragglerSpec slow;
    slow.workers = {1};
    slow.slowdown = 1.3;
    job->c.scenario.stragglers.push_back(slow);
  }
  return job;
}

// Graham (1966): faster resources may take longer if work is done in order of arrival. Sharded
// gradients send messages in one order, so they do not; otherwise a lower bucket overtakes a
// waiting higher one (send_queue.h), as in a run, which costs some draws a little.
TEST_CASE("sharded links: a faster link or device never makes a step longer") {
  const auto [shard, most] = GENERATE(table<std::string, double>(
      {{"parameters", 1 + 1e-3}, {"gradients", 1 + 1e-3}, {"optimizer", 1.03}}));
  CAPTURE(shard);
  const std::uint64_t seeds = 60;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    Stream draw(seed, "sharded links");
    const auto drawn_job = drawn(draw, shard);
    ShardedJob& job = *drawn_job;
    CAPTURE(seed);
    const double before = job.step_s();
    for (const double faster : {1.1, 2.0}) {
      CAPTURE(faster);
      job.host().nic.value *= faster;
      CHECK(job.step_s() <= before * most);
      job.host().nic.value /= faster;
      job.host().device_link.rate.value *= faster;
      CHECK(job.step_s() <= before * most);
      job.host().device_link.rate.value /= faster;
      job.time_factors.set(sim::Resource::device, 1 / faster);
      CHECK(job.step_s() <= before * most);
      job.time_factors = {};
    }
  }
}

}  // namespace
}  // namespace foretrain::testing
