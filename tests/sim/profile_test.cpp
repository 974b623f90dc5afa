// The steps of a profile in virtual time, compared with sums by hand.
#include "models/protocol/message.h"
#include "sim/driver/simulate.h"
#include "tests/support/cases.h"
#include "tests/support/temp_folder.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <fstream>
#include <string>

namespace foretrain::testing {
namespace {
using namespace literals;

constexpr Duration kGradient = 10_ms;  // of the profile below
constexpr std::int64_t kLayerBytes = 4'000;

/// Two layers of 1,000 parameters, 1 + 3 ms and 2 + 4 ms for 32 examples, on separate hosts around
/// a switch 30 us away. Nothing else takes time.
class ProfiledJob {
 public:
  explicit ProfiledJob(const std::string& strategy, int workers = 1) {
    std::ofstream(folder_ / "two.csv") << "layer,parameter_bytes,forward_ms,backward_ms\n"
                                          "first,4000,1,3\nlast,4000,2,4\n";
    Scenario& s = c.scenario;
    s.name = "profile";
    s.model.profile.path = folder_ / "two.csv";
    s.model.profile_batch = 32;
    s.numerics = false;
    s.training.strategy = strategy;
    s.training.workers = workers;
    s.training.batch_size = 32;
    s.training.steps = 20;
    s.training.overlap = false;
    HostSpec host;
    host.name = "node";
    host.count = workers + (strategy == "sync" ? 1 : 0);
    host.nic = {1e18};
    host.latency = 30_us;
    s.cluster.hosts = {host};
    s.cluster.tcp = false;
  }

  [[nodiscard]] Record simulate() const {
    sim::SimulateOptions options;
    options.usage_interval = {};
    options.machines = [](const std::string&) -> Machine { throw std::logic_error("not asked"); };
    return testing::simulate(c, options);
  }
  HostSpec& host() { return c.scenario.cluster.hosts.front(); }
  /// Replaces the two layers by layers of 2 ms forward, 6 ms backward each.
  void write_layers(int layers, std::int64_t bytes) const {
    std::ofstream file(folder_ / "two.csv");
    file << "layer,parameter_bytes,forward_ms,backward_ms\n";
    for (int i = 0; i < layers; ++i) file << "layer" << i << ',' << bytes << ",2,6\n";
  }

  Case c;

 private:
  TempFolder folder_;
};

/// Checks that every step of `record` takes `expected`, apart from rounding up to nanoseconds.
void check_steps(const Record& record, Duration expected) {
  REQUIRE(record.outcome == Outcome::done);
  REQUIRE(!record.steps.empty());
  for (const StepRow& row : record.steps) {
    const Phases& p = row.report.phases;
    const Duration took = p.compute + p.push + p.wait + p.apply + p.pull;
    CAPTURE(row.report.step.value, took.ns);
    CHECK(std::abs((took - expected).ns) <= 4);
  }
}

BytesPerSecond nic_for(Bytes message, double seconds) {
  return {static_cast<double>(message.value) / seconds};
}

TEST_CASE("profile: a sync step is its passes and two messages") {
  ProfiledJob job("sync");
  job.host().nic = nic_for(kHeaderSize + Bytes{2 * kLayerBytes}, 1e-3);
  check_steps(job.simulate(), kGradient + 2_ms + 120_us);
}

TEST_CASE("profile: with overlap a step waits for the messages of its first layer alone") {
  ProfiledJob job("sync");
  job.c.scenario.training.overlap = true;
  job.c.scenario.training.bucket_size = {kLayerBytes};
  // The last layer's bucket travels both ways during the first layer's backward pass: 3 ms.
  job.host().nic = nic_for(kHeaderSize + Bytes{kLayerBytes}, 1e-3);
  check_steps(job.simulate(), kGradient + 2_ms + 120_us);
}

TEST_CASE("profile: overlap hides what fits behind the backward pass of the first layer") {
  ProfiledJob job("sync");
  job.c.scenario.training.bucket_size = {kLayerBytes};
  job.host().nic = nic_for(kHeaderSize + Bytes{kLayerBytes}, 1e-3);
  const Record apart = job.simulate();
  job.c.scenario.training.overlap = true;
  const Record overlapped = job.simulate();
  CHECK(overlapped.time < apart.time);
  CHECK(overlapped.nodes[0].tx == apart.nodes[0].tx);
}

TEST_CASE("profile: of several batches a step has all passes, what it sends once") {
  ProfiledJob job("sync");
  job.host().nic = nic_for(kHeaderSize + Bytes{2 * kLayerBytes}, 1e-3);
  const Record once = job.simulate();
  job.c.scenario.training.accumulate = 4;
  const Record record = job.simulate();
  check_steps(record, kGradient * 4 + 2_ms + 120_us);
  for (const StepRow& row : record.steps) CHECK(row.report.phases.compute == kGradient * 4);
  CHECK(record.nodes[0].tx == once.nodes[0].tx);
  CHECK(record.nodes[0].messages_sent == once.nodes[0].messages_sent);
}

TEST_CASE("profile: of several batches the last one's backward pass hides what is sent") {
  ProfiledJob job("sync");
  job.c.scenario.training.overlap = true;
  job.c.scenario.training.accumulate = 3;
  job.c.scenario.training.bucket_size = {kLayerBytes};
  job.host().nic = nic_for(kHeaderSize + Bytes{kLayerBytes}, 1e-3);
  check_steps(job.simulate(), kGradient * 3 + 2_ms + 120_us);
}

TEST_CASE("profile: a ring of three takes its passes and four exchanges") {
  ProfiledJob job("all_reduce", 3);
  check_steps(job.simulate(), kGradient + 60_us * 4);
  job.c.scenario.training.accumulate = 2;
  check_steps(job.simulate(), kGradient * 2 + 60_us * 4);
}

/// A ring of two workers with layers of 4 MB, 2 ms forward, 6 ms backward each; `exchange`: time of
/// the network for one layer.
constexpr std::int64_t kRingLayer = 4'000'000;  // bytes

class RingOfLayers : public ProfiledJob {
 public:
  RingOfLayers(int layers, Duration exchange) : ProfiledJob("all_reduce", 2) {
    write_layers(layers, kRingLayer);
    host().latency = {};
    // Each of two workers sends half of a bucket twice.
    host().nic = {kRingLayer / exchange.seconds()};
    c.scenario.training.overlap = true;
    c.scenario.training.bucket_rule = "ddp";
    c.scenario.training.bucket_size = {kRingLayer};
  }
};

// Tolerance: sums by hand ignore headers and the last message's latency.
constexpr double kOfMessages = 0.01;

TEST_CASE("profile: one bucket of DDP leaves when the whole gradient is there") {
  const RingOfLayers job(1, 4_ms);
  const double step_s = job.simulate().time.seconds() / 20;
  CHECK(step_s == Approx(2e-3 + 6e-3 + 4e-3).epsilon(kOfMessages));
}

TEST_CASE("profile: DDP's buckets travel behind the backward pass, the last one alone") {
  // A bucket per layer: its transfer is hidden, except for the first layer's.
  RingOfLayers job(5, 4_ms);
  const double hidden_s = job.simulate().time.seconds() / 20;
  CHECK(hidden_s == Approx(5 * (2e-3 + 6e-3) + 4e-3).epsilon(kOfMessages));
  // The first bucket is limited to 1 MiB, so one layer; the other four are one bucket, which is not
  // hidden.
  job.c.scenario.training.bucket_size = {1'000'000'000};
  const double exposed_s = job.simulate().time.seconds() / 20;
  CHECK(exposed_s == Approx(5 * (2e-3 + 6e-3) + 4 * 4e-3).epsilon(kOfMessages));
  // A network slower than the gradient is the bottleneck.
  const RingOfLayers slow(5, 20_ms);
  const double bound_s = slow.simulate().time.seconds() / 20;
  CHECK(bound_s == Approx(5 * 2e-3 + 6e-3 + 5 * 20e-3).epsilon(kOfMessages));
}

TEST_CASE("profile: several workers are waited for as any others") {
  ProfiledJob job("sync", 4);
  StragglerSpec slow;
  slow.workers = {2};
  slow.slowdown = 2.5;
  job.c.scenario.stragglers = {slow};
  check_steps(job.simulate(), 25_ms + 120_us);
}

TEST_CASE("profile: the time grows with the batch") {
  ProfiledJob job("sync");
  job.c.scenario.training.batch_size = 48;
  check_steps(job.simulate(), 15_ms + 120_us);
}

TEST_CASE("profile: an evaluation is the forward pass of the test examples") {
  ProfiledJob job("sync");
  job.c.scenario.training.evaluate_every = 10;
  job.c.scenario.dataset.test_take = 320;
  const Record record = job.simulate();
  REQUIRE(record.evals.size() == 2);
  for (const EvalReport& each : record.evals) CHECK(each.took == 30_ms);
  job.c.scenario.dataset.test_take = 0;
  const Record without = job.simulate();
  for (const EvalReport& each : without.evals) CHECK(each.took == 0_ns);
}

TEST_CASE("profile: a host's own costs of messages are paid on both sides") {
  ProfiledJob job("sync");
  job.host().send = {10e-6, 0};
  job.host().receive = {25e-6, 0};
  check_steps(job.simulate(), kGradient + 120_us + (10_us + 25_us) * 2);
}

TEST_CASE("profile: a host's compute says what a gradient takes in all") {
  ProfiledJob job("sync");
  job.host().compute = 40_ms;
  check_steps(job.simulate(), 40_ms + 120_us);
}

}  // namespace
}  // namespace foretrain::testing
