// Local reduction on hosts before a push, compared with sums by hand.
#include "models/protocol/message.h"
#include "sim/driver/simulate.h"
#include "tests/support/cases.h"
#include "tests/support/protocol_options.h"
#include "tests/support/temp_folder.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>

namespace foretrain::testing {
namespace {
using namespace literals;

constexpr std::int64_t kSummedSteps = 6;
constexpr Bytes kSummedParameters{16'000'000};
constexpr Duration kSummedGradient{32'000'000};  // four layers, each 2 ms forward, 6 ms backward
constexpr BytesPerSecond kSlowRate{1e9};

/// One bucket of four layers, on hosts with one device per worker, and a server with a slow port;
/// only that port and the device links take time.
class LocalReductionJob {
 public:
  LocalReductionJob(const std::string& strategy, int hosts, int devices) {
    std::ofstream layers(folder_ / "four.csv");
    layers << "layer,parameter_bytes,forward_ms,backward_ms\n";
    for (int i = 0; i < 4; ++i) layers << "layer" << i << ",4000000,2,6\n";
    Scenario& s = c.scenario;
    s.name = "local_sum";
    s.model.profile.path = folder_ / "four.csv";
    s.model.profile_batch = 32;
    s.numerics = false;
    s.training.strategy = strategy;
    s.training.workers = hosts * devices;
    s.training.batch_size = 32;
    s.training.steps = kSummedSteps;
    s.training.overlap = false;
    s.training.bucket_size = {1'000'000'000};
    s.training.local_reduction = true;
    HostSpec host;
    host.name = "box";
    host.count = hosts;
    host.devices = devices;
    host.nic = {1e18};
    host.latency = 20_us;
    host.device_link = {kSlowRate, 10_us, false};
    HostSpec server;
    server.name = "server";
    server.nic = kSlowRate;
    server.latency = 30_us;
    s.cluster.hosts = {host, server};
    s.cluster.tcp = false;
  }

  [[nodiscard]] Record record() const {
    sim::SimulateOptions options;
    options.usage_interval = {};
    options.machines = [](const std::string&) -> Machine { throw std::logic_error("not asked"); };
    Record record = testing::simulate(c, options);
    INFO(record.failure);
    REQUIRE(record.outcome == Outcome::done);
    return record;
  }
  /// The same with a push by each worker.
  [[nodiscard]] Record apart() {
    training().local_reduction = false;
    Record record = this->record();
    training().local_reduction = true;
    return record;
  }
  TrainingSpec& training() { return c.scenario.training; }

  Case c;

 private:
  TempFolder folder_;
};

/// The time from one step's begin to the next one's; all have to be equal.
Duration summed_period(const Record& record, int worker) {
  std::map<std::int64_t, Instant> starts;
  for (const StepRow& row : record.steps) {
    if (row.worker == worker) starts[row.report.step.value] = row.report.start;
  }
  REQUIRE(starts.size() == static_cast<std::size_t>(kSummedSteps));
  return starts.at(kSummedSteps - 1) - starts.at(kSummedSteps - 2);
}

std::int64_t rows_of_worker(const Record& record, int worker) {
  return std::ranges::count(record.steps, worker, &StepRow::worker);
}

// The time of a message with all parameters.
Duration over_device_link() {
  return transfer_time(kSummedParameters + kHeaderSize, kSlowRate) + 10_us;
}
Duration over_server_port(int hosts) {
  return transfer_time((kSummedParameters + kHeaderSize) * hosts, kSlowRate) + 50_us;
}

TEST_CASE("local sum: a step is compute, sum, push, pull, copies, to the nanosecond") {
  // With one host in async strategies, which then has the server's port alone.
  const auto [strategy, hosts] = GENERATE(
      table<std::string, int>({{"sync", 1}, {"sync", 2}, {"sync", 4}, {"async", 1}, {"ssp", 1}}));
  CAPTURE(strategy, hosts);
  LocalReductionJob job(strategy, hosts, 2);
  const Record record = job.record();
  const Duration expected = kSummedGradient + over_device_link() * 2 + over_server_port(hosts) * 2;
  for (int worker = 0; worker < hosts * 2; ++worker) {
    CAPTURE(worker);
    CHECK(summed_period(record, worker).ns == expected.ns);
  }
}

// The worker that gets the values first contributes to the next sum first, so the two directions of
// the ring overlap: D messages, not 2 (D - 1).
TEST_CASE("local sum: of one bucket on a ring of D a step waits for D messages") {
  const int devices = GENERATE(3, 4);
  CAPTURE(devices);
  LocalReductionJob job("sync", 2, devices);
  const Duration expected =
      kSummedGradient + over_device_link() * devices + over_server_port(2) * 2;
  CHECK(summed_period(job.record(), 0).ns == expected.ns);
  CHECK(summed_period(job.record(), devices - 1).ns == expected.ns);
}

TEST_CASE("local sum: it adds to a host with one device what its link takes") {
  LocalReductionJob one("sync", 2, 1);
  LocalReductionJob two("sync", 2, 2);
  CHECK(summed_period(two.record(), 0).ns ==
        (summed_period(one.record(), 0) + over_device_link() * 2).ns);
}

TEST_CASE("local sum: a host's port carries one gradient, whatever its devices") {
  const int devices = GENERATE(2, 4);
  CAPTURE(devices);
  LocalReductionJob job("sync", 2, devices);
  const Record record = job.record();
  const std::int64_t one = (kSummedParameters + kHeaderSize).value * kSummedSteps;
  const Record apart = job.apart();
  for (std::size_t worker = 0; worker < record.nodes.size() - 1; ++worker) {
    CAPTURE(worker);
    CHECK(record.nodes[worker].nic_tx->value == one);
    CHECK(record.nodes[worker].nic_rx->value == one);
    CHECK(apart.nodes[worker].nic_tx->value == devices * one);
  }
  CHECK(record.nodes.back().nic_rx->value == 2 * one);
  CHECK(record.updates == kSummedSteps);
  CHECK(record.gradients == kSummedSteps * 2 * devices);
  CHECK(record.gradients == apart.gradients);
}

TEST_CASE("local sum: where gradients count one by one a host is one worker to the server") {
  const std::string strategy = GENERATE("async", "ssp");
  CAPTURE(strategy);
  LocalReductionJob job(strategy, 2, 4);
  const Record record = job.record();
  CHECK(record.updates == kSummedSteps * 2);
  CHECK(record.gradients == kSummedSteps * 2 * 4);
  const std::int64_t one = (kSummedParameters + kHeaderSize).value;
  const std::int64_t came = record.nodes.back().nic_rx->value;
  CHECK(came >= record.updates * one);
  CHECK(came <= (record.updates + 2) * one);  // each host may have one late push
  for (int worker = 1; worker < 4; ++worker) {
    CHECK(rows_of_worker(record, worker) == rows_of_worker(record, 0));
    CHECK(rows_of_worker(record, 4 + worker) == rows_of_worker(record, 4));
  }
}

TEST_CASE("local sum: updates that a length asks for are those of hosts") {
  LocalReductionJob job("async", 2, 2);
  job.training().steps = 0;
  job.training().updates = 12;
  const Record record = job.record();
  CHECK(record.updates == 12);
  CHECK(record.gradients == 24);
}

TEST_CASE("local sum: a host is as fast as its slowest worker, others go on") {
  LocalReductionJob job("async", 2, 2);
  for (HostSpec& host : job.c.scenario.cluster.hosts) host.nic = {1e18};
  job.c.scenario.cluster.hosts.front().device_link = {{1e18}, {}, false};
  StragglerSpec slow;
  slow.workers = {1};
  slow.slowdown = 2;
  job.c.scenario.stragglers = {slow};
  const Record record = job.record();
  CHECK(rows_of_worker(record, 0) == rows_of_worker(record, 1));
  CHECK(rows_of_worker(record, 2) == rows_of_worker(record, 3));
  CHECK(rows_of_worker(record, 2) > rows_of_worker(record, 0) + 2);

  job.training().strategy = "ssp";
  set_option(job.training().protocol, "staleness", std::int64_t{1});
  const Record bound = job.record();
  CHECK(bound.most_lead <= 1);
  CHECK(std::abs(rows_of_worker(bound, 2) - rows_of_worker(bound, 0)) <= 2);
}

TEST_CASE("local sum: of many buckets on several servers, while others are computed") {
  const std::string strategy = GENERATE("sync", "async", "ssp");
  CAPTURE(strategy);
  LocalReductionJob job(strategy, 2, 4);
  job.training().overlap = true;
  job.training().bucket_size = {1'000'000};
  job.training().servers = 2;
  HostSpec& server = job.c.scenario.cluster.hosts.back();
  server.count = 2;
  server.nic = {2e8};
  job.c.scenario.cluster.hosts.front().device_link.rate = {1e11};
  const Record record = job.record();
  const Record apart = job.apart();
  CHECK(record.gradients == apart.gradients);
  CHECK(record.time < apart.time);
  if (strategy != "sync") return;
  CHECK(apart.nodes.front().nic_tx->value == 4 * record.nodes.front().nic_tx->value);
  for (int worker = 0; worker < 8; ++worker) CHECK(rows_of_worker(record, worker) == kSummedSteps);
  // Owners have equal parts: each pushes a quarter and forwards values for three of four.
  for (std::size_t worker = 1; worker < 4; ++worker) {
    CHECK(static_cast<double>(record.nodes[worker].tx.value) ==
          Approx(static_cast<double>(record.nodes.front().tx.value)).epsilon(0.01));
  }
}

TEST_CASE("local sum: a host with one device is the same with and without the key") {
  const std::string strategy = GENERATE("sync", "async", "ssp");
  CAPTURE(strategy);
  LocalReductionJob job(strategy, 3, 1);
  const Record record = job.record();
  Record apart = job.apart();
  apart.scenario_case = record.scenario_case;
  CHECK(record == apart);
}

TEST_CASE("local sum: what leaves the host is compressed, what its devices add up is whole") {
  LocalReductionJob job("sync", 2, 2);
  const std::int64_t within = job.record().nodes.front().local->value;
  job.training().compression.kind = "ratio";
  job.training().compression.ratio = 4;
  const Record record = job.record();
  const std::int64_t pushed = kSummedParameters.value / 4 + kHeaderSize.value;
  CHECK(record.nodes.front().nic_tx->value == pushed * kSummedSteps);
  CHECK(record.nodes.front().nic_rx->value ==
        (kSummedParameters + kHeaderSize).value * kSummedSteps);
  CHECK(record.nodes.front().local->value == within);
}

TEST_CASE("local sum: the chief alone evaluates, as often as the servers update") {
  LocalReductionJob job("sync", 2, 2);
  job.training().evaluate_every = 2;
  job.c.scenario.dataset.test_take = 320;
  const Record sync = job.record();
  REQUIRE(sync.evals.size() == 3);
  CHECK(sync.evals.front().version == Version{2});
  job.training().strategy = "async";
  const Record async = job.record();
  REQUIRE(!async.evals.empty());
  CHECK(async.evals.front().version.value >= 4);
  CHECK(async.evals.front().version.value <= 6);
}

TEST_CASE("local sum: a server beside the workers, workers that are no neighbours in rank") {
  LocalReductionJob job("sync", 2, 2);
  job.c.scenario.cluster.placement = {{"box1", "box0", "box1", "box0"}, {"box0"}};
  const Record record = job.record();
  CHECK(record.gradients == kSummedSteps * 4);
  const std::int64_t one = (kSummedParameters + kHeaderSize).value * kSummedSteps;
  CHECK(record.nodes[0].nic_tx->value == one);  // box1
  CHECK(record.nodes[1].nic_tx->value == one);  // the server's values to box1
}

}  // namespace
}  // namespace foretrain::testing
