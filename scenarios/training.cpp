// Data sets by their scenario, trainings by their data set.
#include "scenarios/training.h"

#include "models/base/check.h"
#include "models/data/data_error.h"
#include "models/data/digits.h"
#include "models/data/idx.h"
#include "models/protocol/registry.h"
#include "scenarios/describe/reader.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace foretrain {
namespace {

constexpr std::int64_t kDigitsTrain = 10'000;
constexpr std::int64_t kDigitsTest = 2'000;
constexpr int kDigitsSide = 28;  // pixels
constexpr int kClasses = 10;

[[noreturn]] void fail(const Case& c, const std::string& key, const std::string& what) {
  fail_at(c.place_of(key), key, what);
}

std::int64_t or_default(std::int64_t given, std::int64_t otherwise) {
  return given > 0 ? given : otherwise;
}

std::shared_ptr<const Network> network_of(const Scenario& scenario, const DatasetShape& shape) {
  return make_network(scenario.model, {shape.rows * shape.columns, shape.classes});
}

/// Refuses what the data set or the model is too small for.
void check_fits(const Case& c, const DatasetShape& shape) {
  const int workers = worker_count(c.scenario);
  if (workers > shape.train_examples) {
    fail(c, "training.workers",
         fmt::format("{} workers for {} training examples; write fewer workers, or take more "
                     "examples",
                     workers, shape.train_examples));
  }
  const int servers = server_count(c.scenario);
  const std::int64_t parameters = network_of(c.scenario, shape)->parameters();
  if (servers > parameters) {
    fail(c, "training.servers",
         fmt::format("{} servers for the {} parameters of {}; write fewer servers", servers,
                     parameters, c.scenario.model));
  }
}

/// How many of `there` examples are used.
std::int64_t taken(const Case& c, const std::string& key, std::int64_t asked, std::int64_t there) {
  if (asked <= there) return or_default(asked, there);
  fail(c, key,
       fmt::format("{} asked for, but the data set has {}; write at most {}, or 0 for all", asked,
                   there, there));
}

/// Calls `read`, which reads files of the data set; what is wrong with one is told at the key that
/// names it.
template <class Read>
auto at_dataset_path(const Case& c, Read read) {
  try {
    return read();
  } catch (const DataError& error) {
    fail(c, "dataset.path", error.what());
  }
}

IdxHeader images_header(const std::string& images_path, const std::string& labels_path) {
  const IdxHeader images = read_idx_header(images_path);
  const IdxHeader labels = read_idx_header(labels_path);
  if (images.kind != IdxKind::kImages) {
    throw DataError(images_path + ": holds labels where images are expected; rename the files");
  }
  if (labels.kind != IdxKind::kLabels) {
    throw DataError(labels_path + ": holds images where labels are expected; rename the files");
  }
  if (images.examples != labels.examples) {
    throw DataError(
        fmt::format("{}: {} images, but {}: {} labels; the two files must belong "
                    "together, fetch both again",
                    images_path, images.examples, labels_path, labels.examples));
  }
  return images;
}

DatasetShape idx_shape(const std::string& folder) {
  const IdxFiles files = find_idx_files(folder);
  const IdxHeader train = images_header(files.train_images, files.train_labels);
  const IdxHeader test = images_header(files.test_images, files.test_labels);
  if (train.rows != test.rows || train.columns != test.columns) {
    throw DataError(fmt::format(
        "{}: images of {} x {} pixels, but {}: {} x {}; the files must be of one data set",
        files.train_images, train.rows, train.columns, files.test_images, test.rows, test.columns));
  }
  return {train.examples, test.examples, train.rows, train.columns, kClasses};
}

/// Gradients a worker, after the length that the scenario gives.
std::int64_t steps_of(const Scenario& scenario, std::int64_t examples) {
  const TrainingSpec& training = scenario.training;
  const std::int64_t workers = worker_count(scenario);
  if (training.steps > 0) return training.steps;
  if (training.updates > 0) {
    // async makes an update of each gradient; the others one of all gradients of a step.
    const std::int64_t gradients = training.strategy == "async" ? workers : 1;
    return (training.updates + gradients - 1) / gradients;
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

bool is_distributed(const Scenario& scenario) {
  const Protocol* protocol = find_protocol(scenario.training.strategy);
  FT_CHECK(protocol != nullptr);
  return protocol->distributed;
}

}  // namespace

int worker_count(const Scenario& scenario) {
  return is_distributed(scenario) ? scenario.training.workers : 1;
}

int server_count(const Scenario& scenario) {
  return is_distributed(scenario) ? scenario.training.servers : 0;
}

DatasetShape shape_of(const DataSplit& data) {
  return {data.train.examples, data.test.examples, data.train.rows, data.train.columns,
          data.train.classes};
}

std::shared_ptr<const DataSplit> load_data(const Case& scenario_case) {
  const DatasetSpec& spec = scenario_case.scenario.dataset;
  DataSplit data;
  if (spec.format == "digits") {
    data = draw_digits(or_default(spec.take, kDigitsTrain), or_default(spec.test_take, kDigitsTest),
                       spec.seed);
  } else {
    data = at_dataset_path(scenario_case, [&] { return read_idx_folder(spec.path); });
    const Case& c = scenario_case;
    const auto train = taken(c, "dataset.take", spec.take, data.train.examples);
    const auto test = taken(c, "dataset.test_take", spec.test_take, data.test.examples);
    data.train = take(std::move(data.train), train);
    data.test = take(std::move(data.test), test);
  }
  check_fits(scenario_case, shape_of(data));
  return std::make_shared<const DataSplit>(std::move(data));
}

DatasetShape dataset_shape(const Case& scenario_case) {
  const DatasetSpec& spec = scenario_case.scenario.dataset;
  DatasetShape shape{or_default(spec.take, kDigitsTrain), or_default(spec.test_take, kDigitsTest),
                     kDigitsSide, kDigitsSide, kClasses};
  if (spec.format != "digits") {
    shape = at_dataset_path(scenario_case, [&] { return idx_shape(spec.path); });
    const Case& c = scenario_case;
    shape.train_examples = taken(c, "dataset.take", spec.take, shape.train_examples);
    shape.test_examples = taken(c, "dataset.test_take", spec.test_take, shape.test_examples);
  }
  check_fits(scenario_case, shape);
  return shape;
}

std::shared_ptr<const Training> make_training(const Scenario& scenario, const DatasetShape& shape,
                                              bool numerics,
                                              std::shared_ptr<const DataSplit> data) {
  check_fits({.settings = {}, .scenario = scenario, .places = {}}, shape);
  auto training = std::make_shared<Training>();
  training->strategy = scenario.training.strategy;
  training->workers = worker_count(scenario);
  training->servers = server_count(scenario);
  training->batch_size = scenario.training.batch_size;
  training->steps = steps_of(scenario, shape.train_examples);
  training->evaluate_every = scenario.training.evaluate_every;
  training->seed = scenario.seed;
  training->network = network_of(scenario, shape);
  training->optimizer = make_optimizer(scenario.training.optimizer);
  const std::int64_t parameters = training->network->parameters();
  // Without servers nothing travels, so nothing is cut.
  training->layout = std::make_shared<const Layout>(
      training->servers == 0
          ? make_layout(parameters, Bytes{parameters * 4}, 1)
          : make_layout(parameters, scenario.training.bucket_size, training->servers));
  training->test_examples = shape.test_examples;
  training->numerics = numerics;
  training->data = std::move(data);
  return training;
}

}  // namespace foretrain
