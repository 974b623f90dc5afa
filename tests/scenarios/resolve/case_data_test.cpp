// The data set of a scenario: its shape, its errors.
#include "scenarios/resolve/case_data.h"

#include "scenarios/resolve/prepared.h"
#include "tests/scenarios/messages.h"
#include "tests/support/idx_files.h"
#include "tests/support/openings.h"
#include "tests/support/temp_folder.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

using namespace foretrain;
namespace fs = std::filesystem;

namespace {

/// A folder with an IDX data set of 6 training and 4 test examples of 2 x 3 pixels.
class Folder {
 public:
  Folder() {
    static int count = 0;
    path_ = fs::temp_directory_path() /
            ("foretrain-data-test-" + std::to_string(::getpid()) + "-" + std::to_string(count++));
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
  /// The error of reading the shape and of reading the examples, which have to agree.
  [[nodiscard]] std::string error(const std::vector<std::string>& overrides = {}) const {
    const Case c = scenario(overrides);
    const std::string loading = error_of([&] { prepare(c, Need::examples); });
    const std::string looking = error_of([&] { prepare(c, Need::shape); });
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

bool names(const std::string& message, const std::string& part) {
  INFO(message);
  return message.find(part) != std::string::npos;
}

/// The shape without reading examples.
DatasetShape shape_of(const Case& scenario_case) {
  DataSets data_sets;
  return find_data(scenario_case, false, data_sets).shape;
}

/// The data with its examples.
CaseData data_of(const Case& scenario_case) {
  DataSets data_sets;
  return find_data(scenario_case, true, data_sets);
}

}  // namespace

TEST_CASE("case data: an IDX folder is loaded, and looked at by its headers") {
  const Folder folder;
  const CaseData data = data_of(folder.scenario());
  CHECK(data.examples->train->examples() == 6);
  CHECK(data.examples->test->examples() == 4);
  const DatasetShape shape = shape_of(folder.scenario());
  CHECK(shape.train_examples == 6);
  CHECK(shape.test_examples == 4);
  CHECK(shape.input.image == Shape{2, 3, 1});
  CHECK(shape.input == data.shape.input);
}

TEST_CASE("case data: a part of a data set is its first examples") {
  const Folder folder;
  const Case c = folder.scenario({"dataset.take=5", "dataset.test_take=1"});
  CHECK(data_of(c).examples->train->examples() == 5);
  CHECK(shape_of(c).train_examples == 5);
  CHECK(data_of(c).examples->test->examples() == 1);
  CHECK(folder.error({"dataset.take=7"}) ==
        "--set dataset.take=7: dataset.take: 7 asked for, but the data set has 6; write at most "
        "6, or 0 for all");
}

TEST_CASE("case data: examples that no memory holds are refused before they are drawn") {
  const Case c = parse_scenario("foretrain: 1\ndataset: {take: 2000000000}\n", "x.yaml").front();
  const std::string message = error_of([&] { (void)data_of(c); });
  CAPTURE(message);
  CHECK(message.find("x.yaml:2:") == 0);
  CHECK(names(message,
              "dataset.take: there is not enough memory for 2000000000 examples, 1572.0 GB, "));
  CHECK(names(message, " GB; write fewer"));
  // If most examples are for tests, the error names that key.
  const Case of_test =
      parse_scenario("foretrain: 1\ndataset: {take: 300, test_take: 2000000000}\n", "x.yaml")
          .front();
  CHECK(names(error_of([&] { (void)data_of(of_test); }),
              "x.yaml:2:33: "
              "dataset.test_take: there is not enough memory for 2000000000 examples"));
}

TEST_CASE("case data: a missing data file is told at the scenario's key") {
  const Folder folder;
  fs::remove(folder.labels("t10k"));
  const std::string message = folder.error();
  CHECK(message.find("x.yaml:4:9: dataset.path: " + folder.path()) == 0);
  CHECK(names(message, "t10k-labels"));
  CHECK(folder.error({"dataset.path=/no/such/folder"})
            .find("--set dataset.path=/no/such/folder: dataset.path: /no/such/folder: ") == 0);
}

TEST_CASE("case data: a truncated IDX file is told at the scenario's key") {
  const Folder folder;
  fs::resize_file(folder.images("train"), 20);
  const std::string message = folder.error();
  CHECK(message.find("x.yaml:4:9: dataset.path: " + folder.images("train") + ": ") == 0);
  CHECK(names(message, "truncated"));
}

TEST_CASE("case data: an IDX file with a wrong magic is told at the scenario's key") {
  const Folder folder;
  overwrite(folder.images("train"), 2, '\x09');
  const std::string message = folder.error();
  CHECK(message.find("x.yaml:4:9: dataset.path: " + folder.images("train") + ": ") == 0);
  CHECK(names(message, "0x00000903"));
}

TEST_CASE("case data: labels and images of different counts are told at the scenario's key") {
  const Folder folder;
  const Folder other;
  other.write("train", 5);
  fs::copy_file(other.labels("train"), folder.labels("train"),
                fs::copy_options::overwrite_existing);
  const std::string message = folder.error();
  CHECK(message.find("x.yaml:4:9: dataset.path: " + folder.images("train") + ": 6 images") == 0);
  CHECK(names(message, "5 labels"));
}

TEST_CASE("case data: images where labels belong are refused by their headers alone") {
  const Folder folder;
  fs::copy_file(folder.images("train"), folder.labels("train"),
                fs::copy_options::overwrite_existing);
  CHECK(folder.error().find("x.yaml:4:9: dataset.path: " + folder.labels("train")) == 0);
}

TEST_CASE("case data: digits are drawn, as many as asked") {
  const Case c = parse_scenario("foretrain: 1\ndataset: {take: 30, test_take: 20}\n", "x").at(0);
  const auto data = data_of(c).examples;
  CHECK(data->train->examples() == 30);
  CHECK(data->test->examples() == 20);
  const DatasetShape shape = shape_of(c);
  CHECK(shape.train_examples == 30);
  CHECK(shape.test_examples == 20);
  CHECK(shape.input == data->train->shape());
  const Case defaults = parse_scenario("foretrain: 1\n", "x").at(0);
  CHECK(shape_of(defaults).train_examples == 10'000);
  CHECK(shape_of(defaults).test_examples == 2'000);
}

/// Two training rows and one test row in LIBSVM text.
class Rows {
 public:
  Rows() {
    std::ofstream(folder_ / "a.train") << "1 1:1 2:1\n0 3:1\n";
    std::ofstream(folder_ / "a.test") << "1 1:1\n";
  }
  [[nodiscard]] std::string train() const { return folder_ / "a.train"; }
  [[nodiscard]] Case scenario(const std::vector<std::string>& overrides = {}) const {
    return parse_scenario(
               "foretrain: 1\nmodel: {name: sparse_logistic, hash_bits: 8}\n"
               "training: {batch_size: 1}\n"
               "dataset: {format: libsvm, path: " +
                   folder_.path() + "}\n",
               "x.yaml", overrides)
        .at(0);
  }

 private:
  TempFolder folder_;
};

TEST_CASE("case data: the text of sparse examples is read once with its examples or without") {
  const Rows rows;
  Openings train(rows.train());
  // Random batches: one row has two features, the other one.
  CHECK(shape_of(rows.scenario()).features_mean == Approx(1.5).margin(0.2));
  CHECK(train.count() == 1);
  CHECK(data_of(rows.scenario()).examples->train->examples() == 2);
  CHECK(train.count() == 1);
}

TEST_CASE("case data: cases of one data set read it once as long as it is the last") {
  const Rows rows;
  const Rows others;
  Openings train(rows.train());
  DataSets data_sets;
  const auto batch_of_two = rows.scenario({"training.batch_size=2", "dataset.take=1"});
  const CaseData one = find_data(rows.scenario(), true, data_sets);
  const CaseData two = find_data(batch_of_two, true, data_sets);
  CHECK(train.count() == 1);
  CHECK(one.examples->train->examples() == 2);
  CHECK(two.examples->train->examples() == 1);
  CHECK(one.shape.features_mean == Approx(1.5).margin(0.2));
  CHECK(two.shape.features_mean == 2);
  find_data(others.scenario(), true, data_sets);
  find_data(rows.scenario({"model.hash_bits=9"}), true, data_sets);
  CHECK(train.count() == 1);
}

TEST_CASE("case data: what is wrong with a data set is told to all who ask for it") {
  const Rows rows;
  std::ofstream(rows.train()) << "nonsense\n";
  DataSets data_sets;
  for (int i = 0; i < 2; ++i) {
    const auto error = error_of([&] { find_data(rows.scenario(), true, data_sets); });
    CHECK(error.find("x.yaml:4:33: dataset.path: " + rows.train() + ":1: ") == 0);
  }
}
