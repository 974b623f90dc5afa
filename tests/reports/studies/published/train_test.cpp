// Published studies trained, by stand-ins for both modes: what is trained, kept, made of it.
#include "reports/studies/published/train.h"

#include "reports/record/not_done.h"
#include "reports/studies/sweep/journal.h"
#include "tests/reports/support.h"
#include "tests/support/places.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace foretrain {
namespace {

const std::string kStudy = "lenet_batch_sweep";
const std::filesystem::path kPublished =
    std::filesystem::path(source_dir()) / "scenarios" / "published";

/// Stands in for whatever trains: of seed s the accuracy is 0.5 + s / 10, the time s seconds.
class StandIn {
 public:
  StandIn() : library_(read_published(kPublished)) {
    training_.folder = folder_.path() / "training";
    training_.data = "data/mnist";
    training_.date = "2026-01-31";
    training_.simulate = [this](const Case& each) { return train(each, Mode::simulate); };
    training_.run = [this](const Case& each) { return train(each, Mode::run); };
  }

  std::vector<Measured> measure() {
    trained.clear();
    const auto claims = read_claims((kPublished / "claims.csv").string());
    return train_published(library_, claims, kStudy, training_);
  }
  [[nodiscard]] const PublishedLibrary& library() const { return library_; }

  std::vector<std::pair<Mode, Case>> trained;
  std::size_t fails_at = 0;  // that training, from 1

 private:
  Record train(const Case& each, Mode mode) {
    trained.emplace_back(mode, each);
    Record record;
    record.scenario_case = each;
    record.mode = mode;
    record.kernel_set = "none";
    if (trained.size() == fails_at) {
      record.outcome = Outcome::failed;
      record.failure = "worker1 was lost";
      return record;
    }
    record.outcome = Outcome::done;
    const auto seed = static_cast<double>(each.scenario.seed);
    record.time = Duration::from_seconds(seed);
    EvalReport last;
    last.accuracy = 0.5 + seed / 10;
    last.final = true;
    record.evals.push_back(last);
    NodeTotals worker;
    worker.role = "worker0";  // figures are of a node
    record.nodes.push_back(worker);
    return record;
  }

  testing::TemporaryFolder folder_;
  PublishedLibrary library_;
  PublishedTraining training_;
};

const Measured& row_of(const std::vector<Measured>& rows, const std::string& scenario, int number,
                       const std::string& quantity) {
  const Measured* row = find_measured(rows, scenario, number, quantity);
  REQUIRE(row != nullptr);
  return *row;
}

TEST_CASE("published training: each quantity is the median over the seeds, with its mode") {
  StandIn stand_in;
  const std::vector<Measured> rows = stand_in.measure();
  const Measured& accuracy = row_of(rows, kStudy + "/lenet.yaml", 12, "test_accuracy");
  CHECK(accuracy.median == Approx(0.7));
  CHECK(accuracy.low == Approx(0.6));
  CHECK(accuracy.high == Approx(0.8));
  CHECK(accuracy.seeds == 3);
  CHECK(accuracy.mode == "simulate");
  CHECK_THAT(accuracy.machine, Catch::StartsWith("none on "));
  CHECK(accuracy.date == "2026-01-31");
  const Measured& time = row_of(rows, "claims/lr.yaml", 2, "time");
  CHECK(time.median == Approx(2));
  CHECK(time.mode == "run");
}

TEST_CASE("published training: gradients are computed on the data that was given, once a case") {
  StandIn stand_in;
  stand_in.measure();
  std::set<std::string> seen;
  for (const auto& [mode, each] : stand_in.trained) {
    CAPTURE(each.scenario.name, each.scenario.seed);
    Case nameless = each;  // what is the same by another name is trained once
    nameless.scenario.name.clear();
    nameless.scenario.question.clear();
    CHECK(seen.insert(std::string(name_of(mode)) + digest_of(nameless)).second);
    if (mode == Mode::run) continue;
    CHECK(each.scenario.numerics);
    CHECK_THAT(each.scenario.dataset.path, Catch::EndsWith("data/mnist"));
  }
  CHECK(stand_in.trained.size() > 30);
}

TEST_CASE("published training: rows of studies that are not asked for stay as they are") {
  StandIn stand_in;
  const std::vector<Measured> rows = stand_in.measure();
  std::size_t others = 0;
  for (const Measured& before : stand_in.library().measured) {
    if (before.scenario.starts_with(kStudy) || before.scenario.starts_with("claims/")) continue;
    const Measured& after = row_of(rows, before.scenario, before.number, before.quantity);
    CHECK(after.median == before.median);
    CHECK(after.date == before.date);
    ++others;
  }
  CHECK(others > 10);
}

TEST_CASE("published training: one that fails is named, and what was done is not done again") {
  StandIn stand_in;
  stand_in.measure();
  const std::size_t all = stand_in.trained.size();
  StandIn broken;
  broken.fails_at = 5;
  std::string why;
  try {
    broken.measure();
  } catch (const NotDone& error) {
    why = error.what();
    CHECK(error.outcome() == Outcome::failed);
  }
  CHECK_THAT(why, Catch::StartsWith(kStudy + "/lenet.yaml case 5: worker1 was lost"));
  broken.fails_at = 0;
  const std::vector<Measured> rows = broken.measure();
  CHECK(broken.trained.size() == all - 4);
  CHECK(row_of(rows, kStudy + "/lenet.yaml", 1, "test_accuracy").seeds == 3);
  broken.measure();
  CHECK(broken.trained.empty());
}

}  // namespace
}  // namespace foretrain
