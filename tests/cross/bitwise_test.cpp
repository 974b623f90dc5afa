// A run ends with the same bits as the simulation of its scenario.
#include "models/base/random.h"
#include "reports/record/files.h"
#include "scenarios/language/input_error.h"
#include "sim/driver/replay.h"
#include "tests/support/cases.h"
#include "tests/support/protocol_options.h"
#include "tests/support/real_run.h"
#include "tests/support/temp_folder.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <fstream>
#include <string>

namespace foretrain::testing {
namespace {
using namespace literals;

Record run(const Case& scenario_case, Duration max_delay = {}) {
  exec::RunOptions options;
  options.max_delay = max_delay;
  return real_run(scenario_case, options);
}

TEST_CASE("cross: single ends with the same weights in both worlds") {
  Case scenario_case = small_case("single", 1, 60);
  scenario_case.scenario.seed = GENERATE(1U, 2U);
  const Record simulated = simulate(scenario_case);
  REQUIRE(simulated.weights_sha256.size() == 64);
  CHECK(run(scenario_case).weights_sha256 == simulated.weights_sha256);
}

TEST_CASE("cross: sync ends with the same weights in both worlds, whatever the delays") {
  const int workers = GENERATE(1, 2, 3);
  const std::uint64_t seed = GENERATE(1U, 7U);
  CAPTURE(workers, seed);
  Case scenario_case = small_case("sync", workers, 25);
  scenario_case.scenario.seed = seed;
  const Record simulated = simulate(scenario_case);
  REQUIRE(simulated.weights_sha256.size() == 64);
  CHECK(run(scenario_case).weights_sha256 == simulated.weights_sha256);
  CHECK(run(scenario_case, 3_ms).weights_sha256 == simulated.weights_sha256);
}

TEST_CASE("cross: networks of CIFAR-10 on padded crops have the same weights with any threads") {
  const std::string model = GENERATE("vgg11", "resnet20");
  CAPTURE(model);
  Case scenario_case = small_case("sync", 2, 3);
  Scenario& scenario = scenario_case.scenario;
  scenario.model.name = model;
  scenario.dataset.format = "images";
  scenario.dataset.side = 32;
  scenario.dataset.take = 16;
  scenario.dataset.test_take = 4;
  scenario.dataset.image = {.crop = 32, .pad = 4, .flip = true, .standardise = true};
  scenario.training.batch_size = 4;
  const Record simulated = simulate(scenario_case);
  REQUIRE(simulated.weights_sha256.size() == 64);
  scenario.training.threads = 2;
  CHECK(run(scenario_case).weights_sha256 == simulated.weights_sha256);
  scenario.dataset.image.pad = 0;
  CHECK(simulate(scenario_case).weights_sha256 != simulated.weights_sha256);
}

TEST_CASE("cross: sync over several shards and buckets, too") {
  Case scenario_case = small_case("sync", 2, 20);
  scenario_case.scenario.training.servers = 2;
  scenario_case.scenario.training.bucket_size = {6'000};
  const Record simulated = simulate(scenario_case);
  REQUIRE(simulated.weights_sha256.size() == 64);
  CHECK(run(scenario_case, 1_ms).weights_sha256 == simulated.weights_sha256);
}

TEST_CASE("cross: stale synchronous in lockstep ends with the same weights") {
  const int servers = GENERATE(1, 3);
  CAPTURE(servers);
  Case scenario_case = small_case("ssp", 3, 15);
  set_option(scenario_case.scenario.training.protocol, "staleness", 0);
  scenario_case.scenario.training.servers = servers;
  const Record simulated = simulate(scenario_case);
  REQUIRE(simulated.weights_sha256.size() == 64);
  CHECK(run(scenario_case, 1_ms).weights_sha256 == simulated.weights_sha256);
}

TEST_CASE("cross: a run of ssp keeps its bound") {
  Case scenario_case = small_case("ssp", 3, 40);
  set_option(scenario_case.scenario.training.protocol, "staleness", 1);
  StragglerSpec slow;
  slow.workers = {1};
  slow.slowdown = 3;
  slow.distribution = "exponential";
  scenario_case.scenario.stragglers.push_back(slow);
  const Record real = run(scenario_case, 1_ms);
  CHECK(real.most_lead == 1);
  CHECK(real.gradients == 120);
}

TEST_CASE("cross: sums among workers end with the same weights in both worlds, the same bytes") {
  const auto [workers, group, algorithm] =
      GENERATE(table<int, std::int64_t, std::string>({{1, 1, "by_size"},
                                                      {2, 1, "by_size"},
                                                      {3, 1, "by_size"},
                                                      {4, 1, "by_size"},
                                                      {4, 2, "by_size"},
                                                      {6, 3, "by_size"},
                                                      {4, 1, "ring"},
                                                      {2, 1, "tree"},
                                                      {5, 1, "tree"},
                                                      {6, 2, "tree"}}));
  CAPTURE(workers, group, algorithm);
  Case scenario_case = small_case("all_reduce", workers, 15);
  set_option(scenario_case.scenario.training.protocol, "group", group);
  set_option(scenario_case.scenario.training.protocol, "algorithm", algorithm);
  scenario_case.scenario.training.bucket_size = {6'000};
  const Record simulated = simulate(scenario_case);
  REQUIRE(simulated.weights_sha256.size() == 64);
  const Record real = run(scenario_case, 1_ms);
  CHECK(real.weights_sha256 == simulated.weights_sha256);
  for (std::size_t node = 0; node < real.nodes.size(); ++node) {
    CHECK(real.nodes[node].tx == simulated.nodes[node].tx);
    CHECK(real.nodes[node].rx == simulated.nodes[node].rx);
  }
}

// The root adds up in the order of the workers, as a server does.
TEST_CASE("cross: gather_scatter ends with the bits of sync in both worlds, the same bytes") {
  const auto [workers, overlap, collectives] = GENERATE(table<int, bool, std::string>(
      {{2, true, "auto"}, {3, false, "together"}, {4, true, "auto"}, {4, true, "together"}}));
  CAPTURE(workers, overlap, collectives);
  Case scenario_case = small_case("gather_scatter", workers, 15);
  set_option(scenario_case.scenario.training.protocol, "collectives", collectives);
  TrainingSpec& training = scenario_case.scenario.training;
  training.optimizer.name = "momentum";
  training.overlap = overlap;
  training.bucket_size = {};  // per_tensor
  const Record simulated = simulate(scenario_case);
  REQUIRE(simulated.weights_sha256.size() == 64);
  const Record real = run(scenario_case, 1_ms);
  CHECK(real.weights_sha256 == simulated.weights_sha256);
  for (std::size_t node = 0; node < real.nodes.size(); ++node) {
    CHECK(real.nodes[node].tx == simulated.nodes[node].tx);
    CHECK(real.nodes[node].rx == simulated.nodes[node].rx);
  }
  training.strategy = "sync";
  CHECK(simulate(scenario_case).weights_sha256 == simulated.weights_sha256);
}

TEST_CASE("cross: one collective after another ends with the same weights in both worlds") {
  const int workers = GENERATE(2, 3, 4);
  CAPTURE(workers);
  Case scenario_case = small_case("all_reduce", workers, 15);
  scenario_case.scenario.training.bucket_size = {};  // per_tensor
  set_option(scenario_case.scenario.training.protocol, "collectives", "one_by_one");
  const Record simulated = simulate(scenario_case);
  REQUIRE(simulated.weights_sha256.size() == 64);
  CHECK(run(scenario_case, 1_ms).weights_sha256 == simulated.weights_sha256);
}

TEST_CASE("cross: in DDP's buckets weights are the same in both worlds") {
  const auto [strategy, option] = GENERATE(table<std::string, std::string>(
      {{"all_reduce", "group"}, {"local_sgd", "local_steps"}, {"local_sgd", "group"}}));
  CAPTURE(strategy, option);
  Case scenario_case = small_case(strategy, 4, 15);
  TrainingSpec& training = scenario_case.scenario.training;
  training.bucket_rule = "ddp";
  training.bucket_size = {4'000};
  set_option(training.protocol, option, 2);
  const Record simulated = simulate(scenario_case);
  REQUIRE(simulated.weights_sha256.size() == 64);
  CHECK(run(scenario_case, 1_ms).weights_sha256 == simulated.weights_sha256);
}

TEST_CASE("cross: with batch normalisation weights and evaluations are the same in both worlds") {
  const std::string strategy = GENERATE("sync", "all_reduce");
  CAPTURE(strategy);
  Case scenario_case = small_case(strategy, 2, 15);
  Scenario& scenario = scenario_case.scenario;
  scenario.training.evaluate_every = 5;
  scenario.training.bucket_size = {6'000};
  scenario.model.layers = {
      {.kind = "dense", .units = 12}, {.kind = "batch_norm"},      {.kind = "relu"},
      {.kind = "dense", .units = 12}, {.kind = "add", .from = -2}, {.kind = "dense"}};
  const Record simulated = simulate(scenario_case);
  REQUIRE(simulated.weights_sha256.size() == 64);
  const Record real = run(scenario_case, 1_ms);
  CHECK(real.weights_sha256 == simulated.weights_sha256);
  REQUIRE(real.evals.size() == simulated.evals.size());
  REQUIRE(real.evals.size() >= 3);
  for (std::size_t i = 0; i < real.evals.size(); ++i) {
    CHECK(real.evals[i].loss == simulated.evals[i].loss);
  }
}

TEST_CASE("cross: by DDP's rule of buckets both worlds end with the same weights") {
  const std::string strategy = GENERATE("all_reduce", "sync");
  CAPTURE(strategy);
  Case scenario_case = small_case(strategy, 3, 20);
  scenario_case.scenario.training.bucket_rule = "ddp";
  scenario_case.scenario.training.bucket_size = Bytes{20'000};
  const Record real = run(scenario_case);
  CHECK(real.weights_sha256 == simulate(scenario_case).weights_sha256);
}

TEST_CASE("cross: a gradient over several batches is the same in both worlds") {
  const std::string strategy =
      GENERATE("single", "sync", "ssp", "async", "all_reduce", "local_sgd");
  CAPTURE(strategy);
  const bool in_any_order = strategy == "single" || strategy == "async";
  Case scenario_case = small_case(strategy, in_any_order ? 1 : 3, 8);
  Scenario& scenario = scenario_case.scenario;
  scenario.model.name = "mlp";
  scenario.model.options.hidden = {200, 100};
  scenario.training.accumulate = 3;
  scenario.training.evaluate_every = 3;
  scenario.training.bucket_size = {20'000};
  set_option(scenario.training.protocol, "staleness", 0);
  const Record simulated = simulate(scenario_case);
  REQUIRE(simulated.weights_sha256.size() == 64);
  const Record real = run(scenario_case, 1_ms);
  CHECK(real.weights_sha256 == simulated.weights_sha256);
  CHECK(real.gradients == simulated.gradients);
  for (std::size_t node = 0; node < real.nodes.size(); ++node) {
    CHECK(real.nodes[node].tx == simulated.nodes[node].tx);
  }
  // The same examples in one batch are the same step, but added in another order.
  scenario.training.accumulate = 1;
  scenario.training.batch_size *= 3;
  const Record whole = simulate(scenario_case);
  CHECK(whole.weights_sha256 != real.weights_sha256);
  CHECK(whole.evals.back().loss == Approx(real.evals.back().loss).epsilon(1e-4));
  CHECK(whole.nodes[0].tx == real.nodes[0].tx);
}

TEST_CASE("cross: overlap on or off ends with the same weights") {
  const std::string strategy = GENERATE("sync", "ssp", "all_reduce");
  CAPTURE(strategy);
  Case scenario_case = small_case(strategy, 3, 8);
  Scenario& scenario = scenario_case.scenario;
  scenario.model.name = "mlp";
  scenario.model.options.hidden = {200, 100};
  scenario.training.bucket_size = {20'000};
  set_option(scenario.training.protocol, "staleness", 0);
  scenario.training.overlap = false;
  const Record joined = simulate(scenario_case);
  REQUIRE(joined.weights_sha256.size() == 64);
  CHECK(run(scenario_case).weights_sha256 == joined.weights_sha256);
  scenario.training.overlap = true;
  const Record overlapped = simulate(scenario_case);
  CHECK(overlapped.weights_sha256 == joined.weights_sha256);
  CHECK(run(scenario_case, 1_ms).weights_sha256 == joined.weights_sha256);
}

TEST_CASE("cross: a convolutional network on two threads, with Adam and clipping") {
  const std::string strategy = GENERATE("single", "sync");
  CAPTURE(strategy);
  Case scenario_case = small_case(strategy, 2, 8);
  scenario_case.scenario.model.name = "lenet";
  scenario_case.scenario.training.optimizer.name = "adam";
  scenario_case.scenario.training.optimizer.learning_rate = 0.001;
  scenario_case.scenario.training.optimizer.clip_norm = 1;
  scenario_case.scenario.training.bucket_size = {100'000};
  const Record simulated = simulate(scenario_case);
  scenario_case.scenario.training.threads = 2;
  CHECK(run(scenario_case).weights_sha256 == simulated.weights_sha256);
}

// Rows with one to eight of 300 features; the first feature gives the class with probability 0.9.
void write_rows(const std::string& path, std::uint64_t seed) {
  Stream stream(seed, "test.rows");
  std::ofstream file(path);
  for (int row = 0; row < 200; ++row) {
    const bool positive = stream.below(2) == 1;
    file << (positive ? 1 : 0);
    std::uint64_t index = (positive == (stream.below(10) > 0)) ? 1 : 2;
    file << ' ' << index << ":1";
    for (std::uint64_t more = stream.below(8); more > 0; --more) {
      index += 1 + stream.below(37);
      file << ' ' << index << ":0.5";
    }
    file << '\n';
  }
}

TEST_CASE("cross: a sparse model, whose pushes carry indices") {
  const std::string strategy = GENERATE("single", "sync", "all_reduce");
  const int servers = GENERATE(1, 3);
  CAPTURE(strategy, servers);
  const TempFolder folder;
  write_rows(folder / "rows.train", 1);
  write_rows(folder / "rows.test", 2);
  Case scenario_case = small_case(strategy, 2, 20);
  Scenario& scenario = scenario_case.scenario;
  scenario.model.name = "sparse_logistic";
  scenario.model.hash_bits = 9;
  scenario.dataset = {};
  scenario.dataset.format = "libsvm";
  scenario.dataset.path = folder.path();
  scenario.training.servers = servers;
  scenario.training.optimizer.name = "ftrl";
  const Record simulated = simulate(scenario_case);
  const Record real = run(scenario_case);
  CHECK(real.weights_sha256 == simulated.weights_sha256);
  for (std::size_t node = 0; node < real.nodes.size(); ++node) {
    CHECK(real.nodes[node].tx == simulated.nodes[node].tx);
  }
  CHECK(real.evals.back().accuracy > 0.8);
}

TEST_CASE("cross: another seed ends with other weights") {
  Case scenario_case = small_case("sync", 2, 20);
  const std::string first = simulate(scenario_case).weights_sha256;
  scenario_case.scenario.seed = 2;
  CHECK(simulate(scenario_case).weights_sha256 != first);
}

TEST_CASE("cross: bytes and messages are the same in both worlds, exactly") {
  const std::string strategy = GENERATE("sync", "async");
  CAPTURE(strategy);
  Case scenario_case = small_case(strategy, 2, 30);
  const Record simulated = simulate(scenario_case);
  const Record real = run(scenario_case);
  REQUIRE(real.nodes.size() == 3);
  if (strategy == "sync") {
    for (std::size_t node = 0; node < 3; ++node) {
      CHECK(real.nodes[node].tx == simulated.nodes[node].tx);
      CHECK(real.nodes[node].rx == simulated.nodes[node].rx);
      CHECK(real.nodes[node].messages_sent == simulated.nodes[node].messages_sent);
    }
  }
  CHECK(real.gradients == 60);
  CHECK(simulated.gradients == 60);
}

TEST_CASE("cross: a recorded run is replayed to the same weights") {
  const std::string strategy = GENERATE("async", "ssp", "sync");
  CAPTURE(strategy);
  Case scenario_case = small_case(strategy, 3, 20);
  Scenario& scenario = scenario_case.scenario;
  scenario.training.servers = 2;
  scenario.training.bucket_size = {8'000};
  set_option(scenario.training.protocol, "staleness", 2);
  set_option(scenario.training.protocol, "backup_workers", 1);
  const Record real = run(scenario_case, 1_ms);
  const Record again = sim::replay(real);
  CHECK(again.weights_sha256 == real.weights_sha256);
  CHECK(again.gradients == real.gradients);
  CHECK(again.steps.size() == real.steps.size());

  // The replay also works from the files of the record.
  const TempFolder folder;
  write_record(real, folder.path());
  CHECK(sim::replay(read_record(folder.path())).weights_sha256 == real.weights_sha256);

  // Any missing input is reported, unless it did not matter: a node that has finished may still
  // receive messages.
  for (std::size_t at = real.inputs.size(); at > 0; at -= std::min<std::size_t>(at, 37)) {
    CAPTURE(at, real.inputs.size());
    Record cut = real;
    cut.inputs.erase(cut.inputs.begin() + static_cast<std::ptrdiff_t>(at - 1));
    try {
      const Record shorter = sim::replay(cut);
      CHECK(shorter.weights_sha256 == real.weights_sha256);
    } catch (const InputError& error) {
      CHECK_THAT(error.what(), Catch::Matchers::StartsWith("inputs.bin: "));
    }
  }
}

TEST_CASE("cross: three async workers see a mean staleness of about two") {
  const Record real = run(small_case("async", 3, 400));
  double sum = 0;
  double counted = 0;
  for (const StepRow& row : real.steps) {
    if (row.report.step == Step{0}) continue;
    sum += static_cast<double>(row.report.staleness);
    ++counted;
  }
  CHECK(sum / counted == Approx(2).margin(0.5));
}

}  // namespace
}  // namespace foretrain::testing
