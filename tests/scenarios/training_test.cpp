// Tests of what a scenario becomes: data set, layout, length.
#include "scenarios/training.h"

#include "models/data/idx.h"
#include "tests/scenarios/messages.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

using namespace foretrain;
namespace fs = std::filesystem;

namespace {

/// A folder with an IDX data set of 6 training and 4 test examples, 2 x 3 pixels.
class Folder {
 public:
  Folder() {
    static int count = 0;
    path_ = fs::temp_directory_path() / ("foretrain-training-test-" + std::to_string(::getpid()) +
                                         "-" + std::to_string(count++));
    fs::create_directories(path_);
    write("train", 6);
    write("t10k", 4);
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  void write(const std::string& stem, std::int64_t examples) const {
    Images data;
    data.examples = examples;
    data.rows = 2;
    data.columns = 3;
    data.classes = 10;
    data.pixels.resize(static_cast<std::size_t>(examples * 6), 7);
    data.labels.resize(static_cast<std::size_t>(examples), 3);
    write_idx(data, images(stem), labels(stem));
  }
  [[nodiscard]] std::string images(const std::string& stem) const {
    return (path_ / (stem + "-images-idx3-ubyte")).string();
  }
  [[nodiscard]] std::string labels(const std::string& stem) const {
    return (path_ / (stem + "-labels-idx1-ubyte")).string();
  }
  [[nodiscard]] std::string path() const { return path_.string(); }

  [[nodiscard]] Case scenario(const std::vector<std::string>& overrides = {}) const {
    return parse_scenario("foretrain: 1\ndataset:\n  format: idx\n  path: " + path() + "\n",
                          "x.yaml", overrides)
        .at(0);
  }
  /// What both ways to look at the data say; they must agree.
  [[nodiscard]] std::string error(const std::vector<std::string>& overrides = {}) const {
    const Case c = scenario(overrides);
    const std::string loading = error_of([&] { load_data(c); });
    const std::string looking = error_of([&] { dataset_shape(c); });
    INFO(looking);
    CHECK((loading == "(no error)") == (looking == "(no error)"));
    return loading;
  }

 private:
  fs::path path_;
};

void overwrite(const std::string& path, std::int64_t offset, char byte) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(offset);
  file.put(byte);
}

bool says(const std::string& message, const std::string& part) {
  INFO(message);
  return message.find(part) != std::string::npos;
}

std::shared_ptr<const Training> training_of(const std::string& settings,
                                            std::int64_t examples = 60'000) {
  const Scenario s = only("foretrain: 1\ntraining: {" + settings + "}\n");
  return make_training(s, {examples, 100, {.image = {28, 28, 1}, .classes = 10}, 0}, false,
                       nullptr);
}

}  // namespace

TEST_CASE("training: an IDX folder is loaded, and looked at by its headers") {
  const Folder folder;
  const auto data = load_data(folder.scenario());
  CHECK(data->train->examples() == 6);
  CHECK(data->test->examples() == 4);
  const DatasetShape shape = dataset_shape(folder.scenario());
  CHECK(shape.train_examples == 6);
  CHECK(shape.test_examples == 4);
  CHECK(shape.input.image == Shape{2, 3, 1});
  CHECK(shape.input == shape_of(*data, 1).input);
}

TEST_CASE("training: a part of a data set is its first examples") {
  const Folder folder;
  const Case c = folder.scenario({"dataset.take=5", "dataset.test_take=1"});
  CHECK(load_data(c)->train->examples() == 5);
  CHECK(dataset_shape(c).train_examples == 5);
  CHECK(load_data(c)->test->examples() == 1);
  CHECK(folder.error({"dataset.take=7"}) ==
        "--set dataset.take=7: dataset.take: 7 asked for, but the data set has 6; write at most "
        "6, or 0 for all");
}

TEST_CASE("training: a missing data file is told at the scenario's key") {
  const Folder folder;
  fs::remove(folder.labels("t10k"));
  const std::string message = folder.error();
  CHECK(message.find("x.yaml:4:9: dataset.path: " + folder.path()) == 0);
  CHECK(says(message, "t10k-labels"));
  CHECK(folder.error({"dataset.path=/no/such/folder"})
            .find("--set dataset.path=/no/such/folder: dataset.path: /no/such/folder: ") == 0);
}

TEST_CASE("training: a truncated IDX file is told at the scenario's key") {
  const Folder folder;
  fs::resize_file(folder.images("train"), 20);
  const std::string message = folder.error();
  CHECK(message.find("x.yaml:4:9: dataset.path: " + folder.images("train") + ": ") == 0);
  CHECK(says(message, "truncated"));
}

TEST_CASE("training: an IDX file with a wrong magic is told at the scenario's key") {
  const Folder folder;
  overwrite(folder.images("train"), 2, '\x09');
  const std::string message = folder.error();
  CHECK(message.find("x.yaml:4:9: dataset.path: " + folder.images("train") + ": ") == 0);
  CHECK(says(message, "0x00000903"));
}

TEST_CASE("training: labels and images of different counts are told at the scenario's key") {
  const Folder folder;
  const Folder other;
  other.write("train", 5);
  fs::copy_file(other.labels("train"), folder.labels("train"),
                fs::copy_options::overwrite_existing);
  const std::string message = folder.error();
  CHECK(message.find("x.yaml:4:9: dataset.path: " + folder.images("train") + ": 6 images") == 0);
  CHECK(says(message, "5 labels"));
}

TEST_CASE("training: images where labels belong are refused by their headers alone") {
  const Folder folder;
  fs::copy_file(folder.images("train"), folder.labels("train"),
                fs::copy_options::overwrite_existing);
  CHECK(folder.error().find("x.yaml:4:9: dataset.path: " + folder.labels("train")) == 0);
}

TEST_CASE("training: digits are drawn, as many as asked") {
  const Case c = parse_scenario("foretrain: 1\ndataset: {take: 30, test_take: 20}\n", "x").at(0);
  const auto data = load_data(c);
  CHECK(data->train->examples() == 30);
  CHECK(data->test->examples() == 20);
  const DatasetShape shape = dataset_shape(c);
  CHECK(shape.train_examples == 30);
  CHECK(shape.test_examples == 20);
  CHECK(shape.input == data->train->shape());
  const Case defaults = parse_scenario("foretrain: 1\n", "x").at(0);
  CHECK(dataset_shape(defaults).train_examples == 10'000);
  CHECK(dataset_shape(defaults).test_examples == 2'000);
}

TEST_CASE("training: epochs become steps, rounded up") {
  CHECK(training_of("workers: 3, batch_size: 128, epochs: 20")->steps == 3'125);
  CHECK(training_of("workers: 3, batch_size: 100, epochs: 1")->steps == 200);
  CHECK(training_of("workers: 3, batch_size: 100, epochs: 1", 60'001)->steps == 201);
  CHECK(training_of("strategy: single, batch_size: 100")->steps == 600);
  CHECK(training_of("strategy: single, batch_size: 1, epochs: 0.7", 1'000)->steps == 700);
  CHECK(training_of("strategy: single, batch_size: 7, epochs: 1.1", 70)->steps == 11);
  CHECK(training_of("strategy: single, batch_size: 1000, epochs: 0.001", 10)->steps == 1);
}

TEST_CASE("training: updates become steps by the strategy's count of updates") {
  CHECK(training_of("strategy: sync, workers: 3, updates: 10")->steps == 10);
  CHECK(training_of("strategy: async, workers: 3, updates: 10")->steps == 4);
  CHECK(training_of("strategy: async, workers: 3, updates: 9")->steps == 3);
  CHECK(training_of("strategy: single, updates: 10")->steps == 10);
}

TEST_CASE("training: single is one worker with one uncut bucket") {
  const auto training = training_of("strategy: single, steps: 5");
  CHECK(training->workers == 1);
  CHECK(training->servers == 0);
  CHECK(training->layout->buckets.size() == 1);
  CHECK(training->steps == 5);
}

TEST_CASE("training: the parameters are cut into buckets over the servers") {
  const auto training = training_of("servers: 2, bucket_size: 4 kB, steps: 1");
  CHECK(training->layout->parameters == 7'850);
  CHECK(training->layout->buckets.size() == 8);  // 3,925 parameters a shard, 1,000 a bucket
  CHECK(training->servers == 2);
}

TEST_CASE("training: more workers than examples, more servers than parameters") {
  const Folder folder;
  CHECK(folder.error({"training.workers=7"}) ==
        "--set training.workers=7: training.workers: 7 workers for 6 training examples; write "
        "fewer workers, or take more examples");
  CHECK(folder.error({"training.servers=71"}) ==
        "--set training.servers=71: training.servers: 71 servers for the 70 parameters of "
        "softmax; write fewer servers");
  CHECK(folder.error({"training.workers=6", "training.servers=70"}) == "(no error)");
  CHECK(says(error_of([] { training_of("workers: 9, steps: 1", 8); }), "9 workers for 8"));
}
