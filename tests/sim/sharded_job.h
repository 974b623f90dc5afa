// A training with sharded gradients or parameters, small enough for sums by hand.
#pragma once

#include "sim/driver/simulate.h"
#include "tests/support/cases.h"
#include "tests/support/temp_folder.h"

#include <catch2/catch.hpp>

#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string>

namespace foretrain::testing {

inline constexpr int kShardedSteps = 5;
inline constexpr std::int64_t kShardedLayer = 4'000'000;  // bytes per layer
inline constexpr double kShardedCompute_s = 32e-3;  // four layers, each 2 ms forward, 6 ms backward
inline constexpr double kShardedHeaders = 0.005;    // tolerance: sums by hand ignore headers

/// Equal layers on workers with one host and device each; only what a test sets takes time.
class ShardedJob {
 public:
  ShardedJob(const std::string& shard, int workers, std::int64_t layer = kShardedLayer,
             int count = 4) {
    std::ofstream layers(folder_ / "layers.csv");
    layers << "layer,parameter_bytes,forward_ms,backward_ms\n";
    for (int i = 0; i < count; ++i) layers << "layer" << i << ',' << layer << ",2,6\n";
    Scenario& s = c.scenario;
    s.name = "sharded";
    s.model.profile.path = folder_ / "layers.csv";
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

  /// The record of a training that may have failed.
  [[nodiscard]] Record ended() const {
    sim::SimulateOptions options;
    options.usage_interval = {};
    options.variant.time_factors = time_factors;
    options.machines = [](const std::string&) -> Machine { throw std::logic_error("not asked"); };
    return testing::simulate(c, options);
  }
  [[nodiscard]] Record record() const {
    Record record = ended();
    INFO(record.failure);
    REQUIRE(record.outcome == Outcome::done);
    return record;
  }
  /// Mean time of a step.
  [[nodiscard]] double step_s() const {
    return record().time.seconds() / static_cast<double>(c.scenario.training.steps);
  }
  HostSpec& host() { return c.scenario.cluster.hosts.front(); }

  Case c;
  sim::TimeFactors time_factors;

 private:
  TempFolder folder_;
};

}  // namespace foretrain::testing
