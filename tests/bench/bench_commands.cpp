#include "tests/bench/bench_commands.h"

#include "tests/support/places.h"
#include "tests/support/temp_folder.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace foretrain::bench {
namespace {

// Cases: 2 strategies x 2 numbers of servers x 10 numbers of workers x 13 batch sizes.
const char* const kSweep =
    "foretrain: 1\nname: sweep-520\nmodel: softmax\ndataset: {format: digits}\n"
    "training: {strategy: sync, workers: 1, servers: 1, batch_size: 16, steps: 100}\n"
    "cluster: {hosts: [{name: node, count: 12, nic: 10 Gbps, latency: 25 us, compute: 10 ms}]}\n"
    "numerics: off\n"
    "sweep:\n"
    "  training.strategy: [sync, async]\n"
    "  training.servers: [1, 2]\n"
    "  training.workers: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\n"
    "  training.batch_size: [8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 96, 112, 128]\n";

/// The seconds of each round of `foretrain WORDS` on the made-up machine, each in a new folder.
std::vector<double> seconds_of_command(const std::string& words, int rounds) {
  std::vector<double> seconds;
  for (int round = 0; round < rounds; ++round) {
    const TempFolder folder;
    std::ofstream(folder / "sweep.yaml") << kSweep;
    const std::string command = fmt::format(
        "cd '{}' && '{}' {} --machine '{}/tests/bench/machine.yaml' --quiet --out out >text 2>&1",
        folder.path(), program_path(), words, source_dir());
    const auto start = std::chrono::steady_clock::now();
    const int status = std::system(command.c_str());
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    if (status != 0) throw std::runtime_error("it failed: " + command);
    seconds.push_back(passed.count());
  }
  return seconds;
}

}  // namespace

void time_sweep(const Options& options, Report& report) {
  const std::string words =
      options.smoke ? "sweep sweep.yaml --set sweep=null" : "sweep sweep.yaml";
  report.add(result_of(options.smoke ? "sim/sweep/1" : "sim/sweep/520", "s", Better::less,
                       seconds_of_command(words, options.rounds)));
}

void time_first_answer(const Options& options, Report& report) {
  report.add(
      result_of("sim/first/quickstart", "s", Better::less,
                seconds_of_command(options.smoke ? "simulate quickstart --set training.steps=20"
                                                 : "simulate quickstart",
                                   options.rounds)));
}

}  // namespace foretrain::bench
