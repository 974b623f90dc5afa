// What to run: a scenario file as a plain value, every default filled in.
#pragma once

#include "models/base/quantity.h"
#include "models/base/time.h"
#include "models/optimizers/optimizer.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace foretrain {

/// `dataset:` - what is learned from.
struct DatasetSpec {
  std::string format = "digits";  ///< digits (drawn by the program) | idx
  std::string path;               ///< idx: the folder with the four files of an IDX data set
  std::int64_t take = 0;          ///< training examples used; 0: all (digits: 10,000)
  std::int64_t test_take = 0;     ///< test examples used; 0: all (digits: 2,000)
  std::uint64_t seed = 1;         ///< digits: what the images are drawn from

  bool operator==(const DatasetSpec&) const = default;
};

/// `training:` - how it is trained. The length is given by exactly one of steps, epochs, updates.
struct TrainingSpec {
  std::string strategy = "sync";  ///< a name in models/protocol/registry.cpp
  int workers = 1;                ///< distributed strategies
  int servers = 1;                ///< distributed strategies: shards of the parameters
  int batch_size = 64;            ///< examples a gradient, per worker
  std::int64_t steps = 0;         ///< gradients a worker
  double epochs = 0;              ///< passes over the training examples, all workers together
  std::int64_t updates = 0;       ///< changes of the parameters
  OptimizerSpec optimizer;
  std::int64_t evaluate_every = 0;  ///< the chief's steps between evaluations; 0: only at the end
  Bytes bucket_size{1'000'000};     ///< largest part of the parameters that travels as one message

  bool operator==(const TrainingSpec&) const = default;
};

/// `cluster.hosts[]` - machines that the training is forecast on.
struct HostSpec {
  std::string name;
  int count = 1;  ///< above 1, hosts are called name0, name1, ...
  int cores = 1;
  BytesPerSecond nic{1.25e9};       ///< full duplex, each direction
  Duration latency{};               ///< one way, host to switch
  std::string machine;              ///< a machine file; empty: this machine's calibration
  std::optional<Duration> compute;  ///< instead of a machine: every gradient takes this long

  bool operator==(const HostSpec&) const = default;
};

struct Placement {
  std::vector<std::string> workers;  ///< host of each worker, in order
  std::vector<std::string> servers;  ///< host of each server shard, in order

  bool operator==(const Placement&) const = default;
};

/// `cluster:` - left out: this machine, over loopback, and `hosts` is empty.
struct ClusterSpec {
  std::vector<HostSpec> hosts;
  std::string topology = "star";
  /// Left out: workers, then servers, on the hosts in turn.
  Placement placement;

  bool operator==(const ClusterSpec&) const = default;
};

/// `stragglers[]` - multiplies the compute time of gradients.
struct StragglerSpec {
  std::vector<int> workers;  ///< whom it concerns; empty: all
  double slowdown = 1;       ///< constant factor
  std::string distribution;  ///< exponential | shifted_exponential | lognormal | pareto: a
                             ///< factor of mean 1 a gradient; empty: none
  double shift = 0;          ///< shifted_exponential: the least factor, 0 to 1
  double sigma = 0;          ///< lognormal: standard deviation of the logarithm
  double shape = 0;          ///< pareto: above 1

  bool operator==(const StragglerSpec&) const = default;
};

/// One case: a scenario file with one choice for everything that its `sweep:` varies.
struct Scenario {
  std::string name;
  std::string question;  ///< what the scenario is meant to answer, for people
  std::uint64_t seed = 1;
  std::string model = "softmax";
  DatasetSpec dataset;
  TrainingSpec training;
  ClusterSpec cluster;
  bool numerics = true;  ///< simulate: carry the gradients out; off: times only
  std::vector<StragglerSpec> stragglers;

  bool operator==(const Scenario&) const = default;
};

/// A setting that a case of a sweep makes: `training.workers` to `3`.
struct Setting {
  std::string key;
  std::string value;

  bool operator==(const Setting&) const = default;
};

/// A case with what tells it from the others; `settings` is empty where there is no sweep.
struct Case {
  std::vector<Setting> settings;
  Scenario scenario;
  /// Where each key was given: `training.workers` -> `scenarios/mnist.yaml:12:12`. For messages:
  /// no part of a record, empty where the scenario was not read from text.
  std::map<std::string, std::string> places;

  /// `strategy=sync,workers=2`: the last part of each key; the scenario's name without a sweep.
  /// Fit for the name of a folder.
  [[nodiscard]] std::string label() const;
  /// The place of `key`, or of the nearest key around it; may be empty.
  [[nodiscard]] std::string place_of(std::string key) const;
};

}  // namespace foretrain
