// How often a command reads a sparse data set: once per process.
#include "tests/cli/sandbox.h"
#include "tests/support/openings.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <string>

namespace foretrain::testing {
namespace {

/// A scenario with Criteo rows in `data`, with a machine that knows its model.
void write_clicks(Sandbox& sandbox) {
  std::filesystem::create_directories(sandbox.path("data"));
  std::string rows;
  for (int row = 0; row < 60; ++row) {
    rows += std::to_string(row % 2);
    for (int field = 1; field < 40; ++field) rows += "\t" + std::to_string((row * field) % 7);
    rows += "\n";
  }
  sandbox.write("data/train.csv", rows);
  sandbox.write("data/test.csv", rows);
  sandbox.write("clicks.yaml",
                "foretrain: 1\nname: clicks\nmodel: {name: sparse_logistic, hash_bits: 12}\n"
                "dataset: {format: criteo, path: data}\n"
                "training: {workers: 1, servers: 2, batch_size: 8, steps: 10}\n");
  sandbox.write("clicks_machine.yaml",
                "foretrain_machine: 1\nname: made-up\ncores: 2\nkernel_set: none\n"
                "models:\n  sparse_logistic 4096x2:\n"
                "    gradient: {overhead: 10 us, per_item: 1 us}\n"
                "    evaluate: {overhead: 0 us, per_item: 1 us}\n");
}

TEST_CASE("read once: a command reads the text of a sparse data set once a process") {
  Sandbox sandbox;
  write_clicks(sandbox);
  Openings train(sandbox.path("data/train.csv").string());
  Openings test(sandbox.path("data/test.csv").string());
  struct Command {
    std::string text;
    int processes;
  };
  const std::string machine = " --machine clicks_machine.yaml";
  for (const Command& command :
       {Command{"check clicks.yaml --graph", 1},
        Command{"run clicks.yaml --out r", 2},  // the launcher and the worker, not the server
        Command{"simulate clicks.yaml --out s" + machine, 1},
        Command{"simulate clicks.yaml --set numerics=off --out n" + machine, 1},
        Command{"simulate clicks.yaml --seeds 3 --out b" + machine, 1},
        Command{"simulate --replay r --out p", 1},
        Command{"sweep clicks.yaml --set 'sweep.training.batch_size=[4, 8, 16]' --out w" + machine,
                1},
        Command{"whatif clicks.yaml --out q" + machine, 1}}) {
    const Called called = sandbox.call(command.text);
    INFO(command.text << "\n" << called.err);
    CHECK(called.status == 0);
    CHECK(train.count() == command.processes);
    CHECK(test.count() == command.processes);
  }
}

}  // namespace
}  // namespace foretrain::testing
