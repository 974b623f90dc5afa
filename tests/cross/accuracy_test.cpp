// Accuracy of scenarios on real data: slow, so it runs only on request.
#include "exec/launch/run.h"
#include "scenarios/resolve/read.h"
#include "tests/support/places.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace foretrain {
namespace {

/// A scenario of the library on a data set, with its lowest acceptable accuracy.
struct AccuracyGoal {
  std::string scenario;
  std::string data;  // folder below FORETRAIN_DATA
  std::vector<std::string> settings;
  bool auc;
  double least;
};

const std::vector<AccuracyGoal>& goals() {
  static const std::string alone = "sweep=null";
  static const std::vector<AccuracyGoal> all{
      {"mnist_softmax", "mnist", {alone, "training.strategy=single"}, false, 0.918},
      {"mnist_lenet", "mnist", {alone, "model=lenet"}, false, 0.989},
      {"mnist_lenet",
       "mnist",
       {alone, "model=lenet_large", "training.epochs=3", "training.optimizer.schedule.kind=cosine",
        "training.optimizer.schedule.examples=180000"},
       false,
       0.990},
      {"cifar10_alexnet", "cifar10", {}, false, 0.60},
      {"agaricus_ftrl", "agaricus", {alone, "training.strategy=single"}, false, 0.999},
      {"criteo_ftrl", "criteo", {alone, "training.strategy=single"}, true, 0.71},
  };
  return all;
}

TEST_CASE("accuracy: the scenarios reach on real data what they should", "[.accuracy]") {
  const char* set = std::getenv("FORETRAIN_DATA");
  const std::filesystem::path data = set != nullptr ? set : source_dir() + "/../shared/data";
  const AccuracyGoal& goal = GENERATE(from_range(goals()));
  if (!std::filesystem::exists(data / goal.data)) {
    WARN("skipped: " << (data / goal.data) << " is not here; FORETRAIN_DATA names the folder");
    return;
  }
  std::vector<std::string> settings = goal.settings;
  settings.push_back("dataset.path=" + (data / goal.data).string());
  const Case scenario_case =
      read_scenario(fmt::format("{}/scenarios/{}.yaml", source_dir(), goal.scenario), settings)
          .front();
  exec::RunOptions options;
  options.program = program_path();
  const Record record = exec::run(scenario_case, options);
  REQUIRE(record.outcome == Outcome::done);
  const double reached = goal.auc ? record.evals.back().auc : record.evals.back().accuracy;
  fmt::print("{:16} {:14} {} {:.4f}, at least {}\n", goal.scenario,
             scenario_case.scenario.model.name, goal.auc ? "AUC" : "accuracy", reached, goal.least);
  CHECK(reached >= goal.least);
}

TEST_CASE("accuracy: three workers learn from as many examples what one learns", "[.accuracy]") {
  const char* set = std::getenv("FORETRAIN_DATA");
  const std::filesystem::path data = set != nullptr ? set : source_dir() + "/../shared/data";
  if (!std::filesystem::exists(data / "mnist")) {
    WARN("skipped: " << (data / "mnist") << " is not here; FORETRAIN_DATA names the folder");
    return;
  }
  exec::RunOptions options;
  options.program = program_path();
  double alone = 0;
  for (const char* strategy : {"single", "sync", "all_reduce", "async", "ssp"}) {
    std::vector<std::string> settings{"sweep=null", "model=lenet", "training.threads=1",
                                      "training.epochs=5", "training.evaluate_every=0"};
    settings.push_back(fmt::format("training.strategy={}", strategy));
    if (strategy != std::string("single")) settings.emplace_back("training.workers=3");
    settings.push_back("dataset.path=" + (data / "mnist").string());
    const Case scenario_case =
        read_scenario(source_dir() + "/scenarios/mnist_lenet.yaml", settings).front();
    const Record record = exec::run(scenario_case, options);
    REQUIRE(record.outcome == Outcome::done);
    const double reached = record.evals.back().accuracy;
    fmt::print("mnist lenet, 5 epochs, {:10} accuracy {:.4f}\n", strategy, reached);
    if (strategy == std::string("single")) alone = reached;
    const bool synchronous =
        strategy == std::string("sync") || strategy == std::string("all_reduce");
    if (synchronous) CHECK(std::abs(reached - alone) <= 0.005);
  }
}

}  // namespace
}  // namespace foretrain
