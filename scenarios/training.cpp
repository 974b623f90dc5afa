// Data sets by their scenario, trainings by their data set.
#include "scenarios/training.h"

#include "models/base/check.h"
#include "models/data/open_data.h"
#include "models/protocol/registry.h"
#include "scenarios/describe/reader.h"
#include "scenarios/layer_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace foretrain {
namespace {

[[noreturn]] void fail(const Case& c, const std::string& key, const std::string& what) {
  fail_at(c.place_of(key), key, what);
}

/// The network, or an error at the layer that is wrong.
std::shared_ptr<const Network> network_of(const Case& c, const DatasetShape& shape) {
  try {
    return make_network(c.scenario, shape.input);
  } catch (const NetworkError& error) {
    const bool listed = !c.scenario.model.layers.empty() && error.layer() >= 0;
    fail(c, listed ? fmt::format("model.layers[{}]", error.layer()) : "model", error.what());
  } catch (const InputError& error) {
    fail(c, "model.profile", error.what());
  }
}

/// Examples that the times of the profile are of.
int profile_batch(const Scenario& scenario) {
  return scenario.model.profile_batch > 0 ? scenario.model.profile_batch
                                          : scenario.training.batch_size;
}

/// Refuses a profile that takes so long, here, that no clock could count it.
void check_profile_times(const Case& c, const DatasetShape& shape, const Network& network) {
  constexpr double kMost_s = 1e6;  // as a host's `compute`
  const int batch = profile_batch(c.scenario);
  // Of the batch that was measured: `read_profile` has seen to it that this can be counted.
  const double measured_s = network.gradient_cost(batch).measured.seconds();
  const auto examples = std::max<std::int64_t>(c.scenario.training.batch_size, shape.test_examples);
  if (measured_s * static_cast<double>(examples) / batch <= kMost_s) return;
  fail(c, "model.profile",
       fmt::format("{} examples take longer than {:.0f} s; check that its times are milliseconds",
                   examples, kMost_s));
}

const Protocol& protocol_of(const Scenario& scenario) {
  const Protocol* protocol = find_protocol(scenario.training.strategy);
  FT_CHECK(protocol != nullptr);
  return *protocol;
}

/// Refuses what the data set or the model is too small for.
void check_fits(const Case& c, const DatasetShape& shape) {
  const int workers = worker_count(c.scenario);
  if (!c.scenario.model.profiled() && workers > shape.train_examples) {
    fail(c, "training.workers",
         fmt::format("{} workers for {} training examples; write fewer workers, or take more "
                     "examples",
                     workers, shape.train_examples));
  }
  const int servers = server_count(c.scenario);
  const auto network = network_of(c, shape);
  if (network->profiled()) check_profile_times(c, shape, *network);
  if (servers > network->parameters()) {
    fail(c, "training.servers",
         fmt::format("{} servers for the {} parameters of {}; write fewer servers", servers,
                     network->parameters(), c.scenario.model.label()));
  }
  const auto tensors = std::ssize(network->blocks());
  const bool per_tensor = c.scenario.training.bucket_size.value == 0;
  if (per_tensor && !network->sparse() && servers > tensors) {
    fail(c, "training.servers",
         fmt::format("{} servers for the {} tensors of {}; write fewer servers, or a bucket_size",
                     servers, tensors, c.scenario.model.label()));
  }
  if (per_tensor && network->sparse() && servers > 0) {
    fail(c, "training.bucket_size",
         "per_tensor, but a sparse model sends what a batch touches, one message a server; remove "
         "it");
  }
  if (per_tensor && servers == 0 && workers > 1) {
    fail(c, "training.bucket_size",
         "per_tensor, but without servers gradients travel in equal chunks; write a size");
  }
  if (servers == 0 && workers > network->parameters()) {
    fail(c, "training.workers",
         fmt::format("{} workers for the {} parameters of {}; write fewer workers", workers,
                     network->parameters(), c.scenario.model.label()));
  }
  if (network->sparse() && !protocol_of(c.scenario).dense &&
      c.scenario.training.optimizer.penalty_in_loss) {
    fail(c, "training.optimizer.penalty_in_loss",
         "a worker of a sparse model holds only the parameters that its batch reads, so it cannot "
         "add all of them up; remove it");
  }
}

/// How many of `there` examples are used.
std::int64_t taken(const Case& c, const std::string& key, std::int64_t asked, std::int64_t there) {
  if (asked <= there) return asked > 0 ? asked : there;
  fail(c, key,
       fmt::format("{} asked for, but the data set has {}; write at most {}, or 0 for all", asked,
                   there, there));
}

/// Calls `read`, which reads files of the data set; what is wrong with one is told at the key that
/// names it.
template <class Read>
auto at_dataset(const Case& c, Read read) {
  try {
    return read();
  } catch (const DataError& error) {
    fail(c, c.scenario.dataset.path.empty() ? "dataset" : "dataset.path", error.what());
  }
}

DataSource source_of(const Scenario& scenario) {
  const DatasetSpec& spec = scenario.dataset;
  DataSource source;
  source.format = spec.format;
  source.path = spec.path;
  // What is drawn is drawn in the number asked for; of what is read, the first are taken.
  if (spec.take > 0) source.train_count = spec.take;
  if (spec.test_take > 0) source.test_count = spec.test_take;
  source.seed = spec.seed;
  source.image = spec.image;
  source.side = spec.side;
  source.channels = spec.channels;
  source.classes = spec.format == "images" ? spec.classes : 0;
  source.hash_bits = scenario.model.hash_bits;
  source.memory_limit = spec.memory_limit;
  return source;
}

// Of an all-reduce: small enough to be summed while it is in the cache, so large that messages are
// few. 25 MB between two processes took 13 to 15 ms so, 14 to 19 in 128 KiB, 17 to 21 in 64 KiB.
constexpr Bytes kMostChunk{250 * 1000};

/// The lengths of the tensors that `bucket_size: per_tensor` sends one by one.
std::vector<std::int64_t> tensors_of(const Network& network) {
  std::vector<std::int64_t> tensors;
  tensors.reserve(network.blocks().size());
  for (const ParameterBlock& block : network.blocks()) tensors.push_back(block.count);
  return tensors;
}

/// What the strategy reads; a sweep may have the rest for others.
ProtocolOptions options_of(const Scenario& scenario) {
  const Protocol& protocol = protocol_of(scenario);
  ProtocolOptions options = scenario.training.protocol;
  const ProtocolOptions unread;
  if (!reads(protocol, "staleness")) options.staleness = unread.staleness;
  if (!reads(protocol, "quota")) options.quota = unread.quota;
  if (!reads(protocol, "backup_workers")) options.backup_workers = unread.backup_workers;
  return options;
}

/// Gradients that make an update of a synchronous strategy.
std::int64_t gradients_a_step(const Scenario& scenario) {
  return worker_count(scenario) - options_of(scenario).backup_workers;
}

/// Gradients a worker, after the length that the scenario gives.
std::int64_t steps_of(const Scenario& scenario, std::int64_t examples) {
  const TrainingSpec& training = scenario.training;
  const std::int64_t workers = worker_count(scenario);
  if (training.steps > 0) return training.steps;
  if (training.updates > 0) {
    const std::int64_t gradients =
        protocol_of(scenario).update_each ? 1 : gradients_a_step(scenario);
    return (training.updates * gradients + workers - 1) / workers;
  }
  const double epochs = training.epochs > 0 ? training.epochs : 1;
  const double steps =
      epochs * static_cast<double>(examples) / static_cast<double>(workers * training.batch_size);
  // 0.7 epochs of 1,000 examples are 700, though 0.7 is a little less in binary, or more.
  constexpr double kRounding = 1e-9;
  const double whole = std::round(steps);
  const bool close = std::abs(steps - whole) <= kRounding * steps;
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(close ? whole : std::ceil(steps)));
}

}  // namespace

int worker_count(const Scenario& scenario) {
  return protocol_of(scenario).several_workers ? scenario.training.workers : 1;
}

int server_count(const Scenario& scenario) {
  return protocol_of(scenario).servers ? scenario.training.servers : 0;
}

std::shared_ptr<const Network> make_network(const Scenario& scenario, const InputShape& input) {
  const ModelSpec& model = scenario.model;
  if (model.profiled()) {
    const NetworkProfile profile = read_profile(model.profile, profile_batch(scenario));
    return std::make_shared<const Network>(profile);
  }
  NetworkSpec spec =
      model.layers.empty() ? network_spec(model.name, model.options) : NetworkSpec{model.layers};
  if (!scenario.training.init.empty()) {
    for (LayerSpec& layer : spec.layers) layer.init = {.kind = scenario.training.init};
  }
  return std::make_shared<const Network>(spec, input);
}

DatasetShape shape_of(const DataSplit& data, int batch_size) {
  DatasetShape shape{data.train->examples(), data.test->examples(), data.train->shape(), 0};
  if (shape.input.sparse()) shape.features_mean = mean_distinct(*data.train, batch_size);
  return shape;
}

std::shared_ptr<const DataSplit> load_data(const Case& scenario_case) {
  const Case& c = scenario_case;
  const DatasetSpec& spec = c.scenario.dataset;
  if (c.scenario.model.profiled()) {
    fail(c, "model.profile",
         "a profile has times, no layers to train or to measure; simulate it, with numerics: off");
  }
  DataSplit data = at_dataset(c, [&] { return open_data(source_of(c.scenario)); });
  const auto train = taken(c, "dataset.take", spec.take, data.train->examples());
  const auto test = taken(c, "dataset.test_take", spec.test_take, data.test->examples());
  data.train = take(std::move(data.train), train);
  data.test = take(std::move(data.test), test);
  check_fits(c, {train, test, data.train->shape(), 0});
  return std::make_shared<const DataSplit>(std::move(data));
}

DatasetShape dataset_shape(const Case& scenario_case) {
  const Case& c = scenario_case;
  const DatasetSpec& spec = c.scenario.dataset;
  if (c.scenario.model.profiled()) {
    const DatasetShape shape{spec.take, spec.test_take, {.image = {0, 0, 0}}, 0};
    check_fits(c, shape);
    return shape;
  }
  const DataSummary summary = at_dataset(c, [&] { return summarize_data(source_of(c.scenario)); });
  if (summary.shape.sparse()) {
    // How many features a batch has is known only from the examples.
    return shape_of(*load_data(c), c.scenario.training.batch_size);
  }
  const DatasetShape shape{taken(c, "dataset.take", spec.take, summary.train_examples),
                           taken(c, "dataset.test_take", spec.test_take, summary.test_examples),
                           summary.shape, 0};
  check_fits(c, shape);
  return shape;
}

DataMemory data_memory(const Case& scenario_case, const DatasetShape& shape) {
  const Bytes held = scenario_case.scenario.dataset.input.held_size;
  if (shape.input.sparse()) {
    const Bytes table = table_bytes(shape.train_examples + shape.test_examples, shape.input);
    return {table, shape.train_examples, false, held};
  }
  const DataSummary summary =
      at_dataset(scenario_case, [&] { return summarize_data(source_of(scenario_case.scenario)); });
  return {summary.memory, shape.train_examples, summary.prefetched, held};
}

void write_drawn_data(const Case& scenario_case, const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw InputError(
        fmt::format("{}: cannot make the folder: {}", folder.string(), error.message()));
  }
  at_dataset(scenario_case,
             [&] { write_drawn(source_of(scenario_case.scenario), folder.string()); });
}

std::shared_ptr<const Training> make_training(const Scenario& scenario, const DatasetShape& shape,
                                              bool numerics,
                                              std::shared_ptr<const DataSplit> data) {
  check_fits({.settings = {}, .scenario = scenario, .places = {}}, shape);
  auto training = std::make_shared<Training>();
  training->strategy = scenario.training.strategy;
  training->options = options_of(scenario);
  training->dense = protocol_of(scenario).dense;
  training->workers = worker_count(scenario);
  training->servers = server_count(scenario);
  training->batch_size = scenario.training.batch_size;
  training->threads = scenario.training.threads;
  training->steps = steps_of(scenario, shape.train_examples);
  if (training->options.backup_workers > 0) {
    const std::int64_t gradients = gradients_a_step(scenario);
    training->updates = scenario.training.updates > 0
                            ? scenario.training.updates
                            : (training->steps * training->workers + gradients - 1) / gradients;
  }
  training->overlap = scenario.training.overlap;
  training->evaluate_every = scenario.training.evaluate_every;
  training->target = scenario.training.until;
  training->seed = scenario.seed;
  training->network = make_network(scenario, shape.input);
  training->optimizer_spec = scenario.training.optimizer;
  training->optimizer = make_optimizer(scenario.training.optimizer);
  const std::int64_t parameters = training->network->parameters();
  const Bytes all{parameters * 4};
  if (training->servers > 0) {
    // A sparse message carries what a batch touches, however large the model: a bucket is a shard.
    const Bytes bucket = training->sparse() ? all : scenario.training.bucket_size;
    training->layout = std::make_shared<const Layout>(
        bucket.value > 0 ? make_layout(parameters, bucket, training->servers)
                         : make_tensor_layout(tensors_of(*training->network), training->servers));
  } else if (training->workers > 1) {
    training->layout = std::make_shared<const Layout>(make_dealt_layout(
        parameters, std::min(scenario.training.bucket_size, kMostChunk), training->workers));
  } else {
    // Nothing travels, so nothing is cut.
    training->layout = std::make_shared<const Layout>(make_layout(parameters, all, 1));
  }
  if (training->sparse()) {
    const Layer& first = *training->network->layers().front();
    training->touched_mean = shape.features_mean * static_cast<double>(first.output().size()) +
                             static_cast<double>(parameters - first.weights());
  }
  training->test_examples = shape.test_examples;
  training->numerics = numerics;
  training->data = std::move(data);
  return training;
}

}  // namespace foretrain
