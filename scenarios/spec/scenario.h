// What to run: a scenario file as a plain value, every default filled in.
#pragma once

#include "models/base/quantity.h"
#include "models/base/time.h"
#include "models/data/images.h"
#include "models/networks/network_spec.h"
#include "models/networks/registry.h"
#include "models/optimizers/optimizer.h"
#include "models/protocol/training.h"
#include "scenarios/spec/cluster.h"
#include "scenarios/spec/framework.h"
#include "scenarios/spec/input.h"
#include "scenarios/spec/measured_device.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace foretrain {

/// `model:` - what is trained: a network by its name, or a list of layers; or what is forecast
/// though it cannot be trained here, by the times that its layers took elsewhere.
struct ModelSpec {
  std::string name = "softmax";
  NetworkOptions options;           ///< of the network that is named
  std::vector<LayerSpec> layers{};  ///< not empty: these, instead of a name
  int hash_bits = 18;               ///< sparse examples: features are hashed into 2^hash_bits
  std::string profile{};            ///< not empty: a CSV file (layer_profile.h), instead of a name
  int profile_batch = 0;  ///< examples that its times are of; 0: as the training's batch_size
  MeasuredDevice profile_device{};  ///< that its times are of; not described: of every device
  /// What HostSpec::measured calls it; where a host has that, its rows count instead. Empty: no.
  std::string profile_network{};

  [[nodiscard]] bool profiled() const { return !profile.empty(); }
  /// What tables call it: its name (`mlp-300-100` by hidden layers that are not the usual ones),
  /// that of its profile, or `layers-1f3c5a70`, after their content.
  [[nodiscard]] std::string label() const;
  bool operator==(const ModelSpec&) const = default;
};

/// `dataset:` - what is learned from.
struct DatasetSpec {
  std::string format = "digits";  ///< one of data_formats()
  std::string path;               ///< of what is read: the folder with its files
  std::int64_t take = 0;          ///< training examples used; 0: all (drawn: 10,000)
  std::int64_t test_take = 0;     ///< test examples used; 0: all (drawn: 2,000)
  std::uint64_t seed = 1;         ///< of what is drawn
  ImageOptions image{};
  int side = 224;                     ///< images: pixels
  int channels = 3;                   ///< images: 1 (grey) or 3
  int classes = 10;                   ///< images
  Bytes memory_limit{2'000'000'000};  ///< a larger file is read as it is used
  InputSpec input{};                  ///< simulate: what a batch costs before it is computed on

  bool operator==(const DatasetSpec&) const = default;
};

/// `training: init:` - what it starts from: drawn parameters, or those of another training.
struct InitSpec {
  std::string kind;  ///< how all weights are drawn; empty: as the network's source does
  std::string from;  ///< a file of weights (weights/weights.h); not empty: nothing is drawn

  bool operator==(const InitSpec&) const = default;
};

/// A step of more batches than that is a typing mistake.
inline constexpr int kAccumulateMax = 1024;

/// `training:` - how it is trained. The length is given by exactly one of steps, epochs, updates.
struct TrainingSpec {
  std::string strategy = "sync";  ///< the name of a protocol
  int workers = 1;                ///< of strategies with several
  int servers = 1;                ///< of strategies with servers: shards of the parameters
  int batch_size = 64;            ///< examples a batch, per worker
  int accumulate = 1;             ///< batches a gradient, which is the mean over them
  std::int64_t steps = 0;         ///< gradients a worker
  double epochs = 0;              ///< passes over the training examples, all workers together
  std::int64_t updates = 0;       ///< changes of the parameters
  int threads = 1;                ///< that a worker computes with
  InitSpec init;                  ///< what it starts from
  ProtocolOptions protocol;       ///< what only some strategies ask for
  OptimizerSpec optimizer;
  bool overlap = true;                ///< buckets leave while others are computed
  std::int64_t evaluate_every = 0;    ///< steps between evaluations; 0: only at the end
  bool evaluate_by_examples = false;  ///< evaluate_every counts examples of all workers, not steps
  Target until;                       ///< ends it before its length where an evaluation finds it
  Duration silence_limit{3'000'000'000};  ///< who says nothing for so long, beyond the longest
                                          ///< pause, is lost (exec/launch/silence.h)
  Duration rejoin_limit;  ///< so long the others wait for a node that is lost, where they cannot
                          ///< go on without it; 0: that is the end
  Bytes bucket_size{1'000'000};      ///< largest part of the parameters that travels by itself;
                                     ///< 0: every tensor (a layer's weights, its biases) is one
  std::string bucket_rule = "size";  ///< size; ddp: PyTorch's, whose cap bucket_size is
  Compression compression;           ///< of what workers push to servers
  std::string shard = "optimizer";   ///< what workers have their part of alone; as in Training
  std::string reduce = "batch";      ///< of gradients in parts: after which, batch | step
  bool local_sum = false;  ///< simulate: workers of a host add up, one pushes the sum to a server

  [[nodiscard]] std::int64_t examples_a_gradient() const {
    return std::int64_t{batch_size} * accumulate;
  }
  bool operator==(const TrainingSpec&) const = default;
};

/// `transport:` - how the processes of a run and their sockets are tuned; the defaults are
/// measured.
struct TransportSpec {
  std::string congestion_control;  ///< of the kernel's; empty: cubic, else reno
  Bytes socket_buffer;             ///< of each direction; 0: as the kernel finds out
  Bytes unsent{256 * 1024};        ///< the most that waits in the kernel, in order; 0: no bound
  std::optional<Duration> poll;    ///< how long a node looks for messages before it sleeps;
                                   ///< nothing: run: 1 ms, simulate: as the machine file says
  bool pin = true;                 ///< nodes to cores, round robin; else the kernel moves them
  bool shared_memory = false;  ///< run: between nodes of one host (exec/transport/shared_ring.h)

  bool operator==(const TransportSpec&) const = default;
};

/// `checkpoint:` - when all nodes keep their states, so that a run can go on from them. What that
/// takes a forecast needs, a run measures: DiskCost.
struct CheckpointSpec {
  CheckpointRule every;                     ///< neither: never
  int keep = 3;                             ///< of the newest
  BytesPerSecond write_rate{};              ///< simulate: 0: as the host's machine says
  std::optional<Duration> write_latency{};  ///< simulate: nothing: likewise

  /// On a host whose machine says `of_machine`; what neither of them says is kAssumedDisk's.
  [[nodiscard]] DiskCost disk_on(const DiskCost& of_machine) const {
    const DiskCost& rest = of_machine.known() ? of_machine : kAssumedDisk;
    return {write_rate.value > 0 ? write_rate : rest.write_rate,
            write_latency.value_or(rest.write_latency)};
  }
  /// Something of it is kAssumedDisk's.
  [[nodiscard]] bool assumes_disk(const DiskCost& of_machine) const {
    return !of_machine.known() && (write_rate.value <= 0 || !write_latency);
  }
  bool operator==(const CheckpointSpec&) const = default;
};

/// One case: a scenario file with one choice for everything that its `sweep:` varies.
struct Scenario {
  std::string name;
  std::string question;  ///< what the scenario is meant to answer, for people
  std::uint64_t seed = 1;
  ModelSpec model;
  DatasetSpec dataset;
  TrainingSpec training;
  ClusterSpec cluster;
  TransportSpec transport;
  CheckpointSpec checkpoint;
  bool numerics = true;  ///< simulate: carry the gradients out; off: times only
  std::vector<StragglerSpec> stragglers;
  std::vector<FaultSpec> faults;
  FrameworkSpec framework;                ///< simulate: of another program
  std::vector<NeighbourSpec> neighbours;  ///< simulate: trainings that share the cluster

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
