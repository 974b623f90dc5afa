// Faults in a training with sharded parameters, in virtual time.
#include "tests/sim/sharded_job.h"

#include <catch2/catch.hpp>

#include <cstdint>
#include <string>
#include <utility>

namespace foretrain::testing {
namespace {
using namespace literals;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;

constexpr double kHeldUpExactly_s = 1e-4;

ShardedJob& with_fault(ShardedJob& job, FaultSpec fault) {
  job.c.scenario.faults = {std::move(fault)};
  return job;
}

// The delay of two workers' end by a fault.
double held_up_s(const std::string& shard, BytesPerSecond nic, const FaultSpec& fault) {
  ShardedJob job(shard, 2);
  job.host().nic = nic;
  const double plain_s = job.record().time.seconds();
  return with_fault(job, fault).record().time.seconds() - plain_s;
}

std::string failed_by(const std::string& shard, int workers, const FaultSpec& fault) {
  ShardedJob job(shard, workers);
  job.host().nic = {2e9};
  const Record record = with_fault(job, fault).ended();
  CHECK(record.outcome == Outcome::failed);
  return record.failure;
}

// Half of a layer takes 20 ms, longer than any stage: what the links do not carry is late.
TEST_CASE("sharded faults: a cut, a slow link hold up for what they do not carry") {
  const std::string shard = GENERATE("optimizer", "gradients", "parameters");
  CAPTURE(shard);
  const BytesPerSecond busy{100e6};
  const FaultSpec cut{.at = 80_ms, .cut = {"worker0", "worker1"}, .lasting = 100_ms};
  CHECK(held_up_s(shard, busy, cut) == Approx(0.1).margin(kHeldUpExactly_s));
  FaultSpec one_way = cut;
  one_way.one_way = true;
  // Later sums overtake in the other direction, before what the next step waits for: up to 20 ms
  // more.
  const double ahead_s = held_up_s(shard, busy, one_way);
  CHECK(ahead_s > 0.1 - kHeldUpExactly_s);
  CHECK(ahead_s < 0.12);
  const FaultSpec slow{.at = 80_ms, .slow = "worker1", .to = 0.5, .lasting = 100_ms};
  CHECK(held_up_s(shard, busy, slow) == Approx(0.05).margin(kHeldUpExactly_s));
}

TEST_CASE("sharded faults: everybody waits for the part of who joins late, or stands still") {
  const std::string shard = GENERATE("optimizer", "gradients", "parameters");
  CAPTURE(shard);
  const FaultSpec join{.at = 80_ms, .join = "worker1"};
  CHECK(held_up_s(shard, {100e6}, join) == Approx(0.08).margin(kHeldUpExactly_s));
  // A worker out of step for a while gathers while the links carry sums.
  const FaultSpec stop{.at = 80_ms, .stop = "worker1", .lasting = 100_ms};
  const double stood_s = held_up_s(shard, {2e9}, stop);
  CHECK(stood_s > 0.1 - kHeldUpExactly_s);
  CHECK(stood_s < 0.11);
}

TEST_CASE("sharded faults: a worker that is lost takes its part of the parameters with it") {
  const std::string gone =
      "; its part of the parameters is lost with it, so the training cannot continue";
  const std::string killed = "worker1 was killed at 80 ms, as faults: says";
  const FaultSpec kill{.at = 80_ms, .kill = "worker1"};
  const int workers = GENERATE(2, 4);
  CHECK(failed_by("parameters", workers, kill) == killed + gone);
  CHECK(failed_by("gradients", workers, kill) == killed);
  CHECK(failed_by("optimizer", workers, kill) == killed);
  const FaultSpec stop{.at = 80_ms, .stop = "worker1", .lasting = 10_s};
  CHECK(failed_by("parameters", workers, stop) == "worker1 was silent for 3 s" + gone);
  // Both are alive, but a broken ring delivers no part.
  const FaultSpec cut{.at = 80_ms, .cut = {"worker0", "worker1"}, .lasting = 10_s};
  CHECK_THAT(failed_by("parameters", workers, cut),
             StartsWith("worker") && EndsWith(": the connection to it was lost (worker0 noticed)"));
}

// Two hosts that fail every 2 s on average.
ShardedJob& failing_now_and_then(ShardedJob& job, std::uint64_t seed) {
  job.c.scenario.seed = seed;
  job.c.scenario.training.steps = 50;
  job.host().nic = {2e9};
  job.host().mtbf = 2_s;
  job.host().restart_after = 50_ms;
  return job;
}

TEST_CASE("sharded faults: hosts that fail set parameters in parts back to the first step") {
  ShardedJob plain("parameters", 2);
  plain.c.scenario.training.steps = 50;
  plain.host().nic = {2e9};
  const double whole_s = plain.record().time.seconds();
  std::int64_t failures = 0;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    CAPTURE(seed);
    ShardedJob job("parameters", 2);
    const Record record = failing_now_and_then(job, seed).record();
    const RestartTotals& of = record.restarts;
    CHECK((record.time - of.lost - of.down).seconds() == Approx(whole_s).epsilon(1e-3));
    CHECK(record.gradients == 100);
    failures += of.count;
  }
  CHECK(failures > 0);
}

TEST_CASE("sharded faults: of gradients in parts states are kept as of an all-reduce") {
  std::int64_t failures = 0;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    CAPTURE(seed);
    const auto record_of = [&](const std::string& shard) {
      ShardedJob job(shard, 2);
      job.c.scenario.checkpoint.every.steps = 10;
      return failing_now_and_then(job, seed).record();
    };
    const Record whole = record_of("optimizer");
    const Record parts = record_of("gradients");
    CHECK(parts.checkpoints.count == 4);
    CHECK(parts.checkpoints == whole.checkpoints);
    CHECK(parts.restarts == whole.restarts);
    CHECK(parts.time == whole.time);
    failures += parts.restarts.count;
  }
  CHECK(failures > 0);
}

}  // namespace
}  // namespace foretrain::testing
