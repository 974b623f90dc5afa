// A scenario file as a plain value with every default filled in.
#pragma once

#include "models/base/quantity.h"
#include "models/base/time.h"
#include "models/data/images.h"
#include "models/optimizers/optimizer.h"
#include "models/protocol/training.h"
#include "scenarios/spec/cluster.h"
#include "scenarios/spec/framework.h"
#include "scenarios/spec/input.h"
#include "scenarios/spec/model.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace foretrain {

/// `dataset:` - the examples.
struct DatasetSpec {
  std::string format = "digits";  ///< one of data_formats()
  std::string path;               ///< folder with the data files, if the data are read
  std::int64_t take = 0;          ///< training examples used; 0: all (drawn: 10,000)
  std::int64_t test_take = 0;     ///< test examples used; 0: all (drawn: 2,000)
  std::uint64_t seed = 1;         ///< of drawn data
  ImageOptions image{};
  int side = 224;                     ///< images: pixels
  int channels = 3;                   ///< images: 1 (grey) or 3
  int classes = 10;                   ///< images
  Bytes memory_limit{2'000'000'000};  ///< larger files are read on demand
  InputSpec input{};                  ///< simulate: cost of a batch before its computation

  bool operator==(const DatasetSpec&) const = default;
};

/// `training: init:` - the initial parameters: drawn, or those of another training.
struct InitSpec {
  std::string kind;  ///< distribution of all weights; empty: the default of the network
  std::string from;  ///< a file of weights (weights/weights.h), if not empty

  bool operator==(const InitSpec&) const = default;
};

/// Upper bound of `accumulate`; a larger value is a typing mistake.
inline constexpr int kAccumulateMax = 1024;

/// Steps that are simulated of a training whose length is given in tokens: all are alike.
inline constexpr int kStepsOfTokens = 8;

/// `training:` - how it is trained. Exactly one of steps, epochs, updates, tokens gives the length.
struct TrainingSpec {
  std::string strategy = "sync";  ///< the name of a protocol
  int workers = 1;                ///< for strategies with several
  int servers = 1;                ///< for strategies with servers: shards of the parameters
  int batch_size = 64;            ///< examples a batch, per worker
  int accumulate = 1;             ///< batches per gradient, which is their mean
  std::int64_t steps = 0;         ///< gradients per worker
  double epochs = 0;              ///< passes over the training examples, all workers together
  std::int64_t updates = 0;       ///< updates of the parameters
  std::int64_t tokens = 0;        ///< of all workers; kStepsOfTokens steps are simulated
  int threads = 1;                ///< compute threads of a worker
  InitSpec init;                  ///< what it starts from
  ProtocolOptions protocol;       ///< options of some strategies
  OptimizerSpec optimizer;
  bool overlap = true;                ///< send buckets while others are still computed
  std::int64_t evaluate_every = 0;    ///< steps between evaluations; 0: only at the end
  bool evaluate_by_examples = false;  ///< evaluate_every counts examples of all workers, not steps
  Target until;  ///< target whose evaluation ends the training before its length
  Duration silence_limit{3'000'000'000};  ///< a node is lost if it is silent for this long beyond
                                          ///< the longest pause (exec/launch/failure_detector.h)
  Duration rejoin_limit;                  ///< how long others wait for a lost node if they cannot
                                          ///< continue without it; 0: the training ends
  Bytes bucket_size{1'000'000};           ///< largest part of the parameters in one message;
                                 ///< 0: one message per tensor (a layer's weights, its biases)
  std::string bucket_rule = "size";  ///< size | ddp: PyTorch's rule, with bucket_size as its cap |
                                     ///< layer: a bucket each
  Compression compression;           ///< of pushes from workers to servers
  std::string shard = "optimizer";   ///< what is sharded over workers; as in Training
  std::string recompute = "none";    ///< by_shape: none | selective | full
  bool master_weights = true;        ///< by_shape: updates are in 32 bits, whatever the precision
  std::string reduce = "batch";  ///< when sharded gradients are reduced: after each batch | step
  bool local_reduction =
      false;  ///< simulate: workers of a host add up, one pushes the sum to a server

  [[nodiscard]] std::int64_t examples_a_gradient() const {
    return std::int64_t{batch_size} * accumulate;
  }
  bool operator==(const TrainingSpec&) const = default;
};

/// `transport:` - tuning of a run's processes and sockets; the defaults are measured.
struct TransportSpec {
  std::string congestion_control;  ///< a kernel algorithm; empty: cubic, or reno if absent
  Bytes socket_buffer;             ///< per direction; 0: the kernel decides
  Bytes unsent{256 * 1024};        ///< bound on unsent bytes queued in the kernel; 0: none
  std::optional<Duration> poll;    ///< how long a node polls for messages before it sleeps;
                                   ///< nothing: 1 ms in a run, the machine file's in a simulation
  bool pin = true;  ///< nodes are pinned to cores, round robin; false: the kernel moves them
  bool shared_memory = false;  ///< run: between nodes of one host (exec/transport/shared_ring.h)

  bool operator==(const TransportSpec&) const = default;
};

/// `checkpoint:` - when all nodes save their states, so that a run can resume. Its cost is an input
/// of a forecast and an outcome of a run: DiskCost.
struct CheckpointSpec {
  CheckpointRule every;                     ///< neither set: never
  int keep = 3;                             ///< number of newest checkpoints kept
  BytesPerSecond write_rate{};              ///< simulate: 0: the rate of the host's machine
  std::optional<Duration> write_latency{};  ///< simulate: nothing: the same

  /// The disk cost on a host with `of_machine`; kAssumedDisk fills in what neither of them gives.
  [[nodiscard]] DiskCost disk_on(const DiskCost& of_machine) const {
    const DiskCost& rest = of_machine.known() ? of_machine : kAssumedDisk;
    return {write_rate.value > 0 ? write_rate : rest.write_rate,
            write_latency.value_or(rest.write_latency)};
  }
  /// Whether a part of disk_on comes from kAssumedDisk.
  [[nodiscard]] bool assumes_disk(const DiskCost& of_machine) const {
    return !of_machine.known() && (write_rate.value <= 0 || !write_latency);
  }
  bool operator==(const CheckpointSpec&) const = default;
};

/// One case: a scenario file with one choice for every key of its `sweep:`.
struct Scenario {
  std::string name;
  std::string question;  ///< for people: the question that it answers
  std::uint64_t seed = 1;
  ModelSpec model;
  DatasetSpec dataset;
  TrainingSpec training;
  ClusterSpec cluster;
  TransportSpec transport;
  CheckpointSpec checkpoint;
  bool numerics = true;  ///< simulate: compute gradients; false: times only
  std::vector<StragglerSpec> stragglers;
  std::vector<FaultSpec> faults;
  FrameworkSpec framework;                   ///< simulate: overhead of another program
  std::vector<ColocatedJob> colocated_jobs;  ///< simulate: other trainings on the cluster

  bool operator==(const Scenario&) const = default;
};

/// A setting of a case in a sweep: `training.workers` to `3`.
struct Setting {
  std::string key;
  std::string value;

  bool operator==(const Setting&) const = default;
};

/// A case with the settings that distinguish it; `settings` is empty without a sweep.
struct Case {
  std::vector<Setting> settings;
  Scenario scenario;
  /// The place of each key: `training.workers` -> `scenarios/mnist.yaml:12:12`. Only for messages,
  /// not part of a record; empty if the scenario was not read from text.
  std::map<std::string, std::string> places;

  /// `strategy=sync,workers=2`: the last part of each key; the scenario's name without a sweep.
  /// Valid as a folder name.
  [[nodiscard]] std::string label() const;
  /// The place of `key`, or of its nearest enclosing key; may be empty.
  [[nodiscard]] std::string place_of(std::string key) const;
};

}  // namespace foretrain
