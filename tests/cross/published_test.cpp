// The published studies: what is predicted of them, how far off it is.
#include "models/networks/registry.h"
#include "reports/studies/published/claims.h"
#include "reports/studies/published/predictions.h"
#include "reports/studies/published/tables.h"
#include "scenarios/library.h"
#include "scenarios/read.h"
#include "sim/driver/simulate.h"
#include "tests/reports/support.h"
#include "tests/support/cases.h"
#include "tests/support/places.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

namespace foretrain::testing {
namespace {

const std::filesystem::path kFolder =
    std::filesystem::path(source_dir()) / "scenarios" / "published";

std::vector<Prediction> predicted(const PublishedLibrary& library, const std::string& study) {
  PredictOptions options;
  options.study = study;
  options.threads = 2;
  options.simulate = [](const Case& each) {
    sim::SimulateOptions simulating;
    simulating.machines = [](const std::string& name) {
      return read_machine((kFolder.parent_path().parent_path() / name).string());
    };
    simulating.summary_only = true;
    return simulate(each, simulating);
  };
  return predict(library, options);
}

/// Of the figures of a metric, table and mode the largest error.
double worst(const std::vector<Prediction>& predictions, const std::string& metric,
             const std::string& table, const std::string& mode) {
  double most = 0;
  int found = 0;
  for (const Prediction& each : predictions) {
    const ReportedFigure& figure = each.reported;
    if (figure.metric != metric || figure.table != table || figure.mode != mode) continue;
    INFO(figure.title());
    REQUIRE(each.error());
    most = std::max(most, std::abs(*each.error()));
    ++found;
  }
  CHECK(found > 0);
  return most;
}

TEST_CASE("published: LeNet of three nodes is as near as arithmetic comes") {
  const auto p = predicted(read_published(kFolder), "lenet_three_nodes");
  CHECK(worst(p, "epoch_time", "lenet_nodes", "single") < 0.02);
  CHECK(worst(p, "epoch_time", "lenet_nodes", "all_reduce") < 0.10);
  CHECK(worst(p, "epoch_time", "lenet_batch", "all_reduce") < 0.10);
  // A ring's traffic.
  CHECK(worst(p, "network", "lenet_nodes", "all_reduce") < 0.15);
  CHECK(worst(p, "network", "lenet_batch", "all_reduce") < 0.15);
  CHECK(worst(p, "network", "lr_usage", "sync") < 0.15);
  CHECK(worst(p, "cpu", "lenet_nodes", "all_reduce") < 0.05);
}

TEST_CASE("published: softmax and AlexNet of four nodes are as near as arithmetic comes") {
  const auto p = predicted(read_published(kFolder), "alexnet_four_nodes");
  CHECK(worst(p, "time", "lr", "sync") < 0.045);
  CHECK(worst(p, "time", "lr", "async") < 0.01);
  CHECK(worst(p, "time", "lr_batch", "async") < 0.012);
  CHECK(worst(p, "time", "alexnet", "sync") < 0.056);
  CHECK(worst(p, "loss", "alexnet", "sync") < 0.01);
}

TEST_CASE("published: AlexNet of c220g5 is as near as arithmetic comes") {
  const auto p = predicted(read_published(kFolder), "alexnet_c220g5");
  CHECK(worst(p, "step_time", "alexnet", "sync") < 0.123);
  CHECK(worst(p, "network_tx", "alexnet_usage", "sync") < 0.12);
  CHECK(worst(p, "time", "async", "async") < 0.16);
  CHECK(worst(p, "loss", "alexnet", "sync") < 0.01);
}

TEST_CASE("published: the batch table of Criteo is within 6 per cent") {
  const auto p = predicted(read_published(kFolder), "criteo_sparse");
  CHECK(worst(p, "time", "batch", "sync") < 0.061);
  CHECK(worst(p, "time", "batch", "async") < 0.061);
}

// Buffers are padded to whole vectors, so memory depends on the kernels that the program has.
std::string without_memory(const std::string& table) {
  std::istringstream lines(table);
  std::string kept;
  for (std::string line; std::getline(lines, line);) {
    if (line.substr(0, line.find(':')).find("memory") == std::string::npos) kept += line + "\n";
  }
  return kept;
}

TEST_CASE("published: the tables of the library are what the program writes") {
  const PublishedLibrary library = read_published(kFolder);
  const auto predictions = predicted(library, "");
  CHECK(predictions.size() == library.reported.size());  // none is left out
  const auto claims =
      answer(read_claims((kFolder / "claims.csv").string()), predictions, library.measured);
  const std::string readme = read_text(kFolder / "README.md");
  INFO("write them anew: foretrain report --published --rewrite");
  const std::string errors = errors_markdown(predictions, claims);
  CHECK(without_memory(read_text(kFolder / "errors.md")) == without_memory(errors));
  if (kernel_set() == "avx2") CHECK(read_text(kFolder / "errors.md") == errors);
  CHECK(readme == with_table(readme, summary_markdown(predictions), "README.md"));
}

TEST_CASE("published: what is trained for real comes as near as the studies say") {
  const PublishedLibrary library = read_published(kFolder);
  for (const Measured& row : library.measured) {
    CAPTURE(row.scenario, row.number, row.quantity);
    CHECK(row.seeds == 3);
    CHECK(row.low <= row.median);
    CHECK(row.median <= row.high);
    if (row.scenario == "lenet_three_nodes/lr.yaml" && row.quantity == "test_accuracy") {
      CHECK(row.median > 0.913);
      CHECK(row.median < 0.925);
    }
    if (row.scenario == "lenet_three_nodes/lenet_nodes.yaml") CHECK(row.median > 0.98);
  }
}

}  // namespace
}  // namespace foretrain::testing
