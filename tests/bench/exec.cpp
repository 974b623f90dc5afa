#include "tests/bench/exec.h"

#include "exec/launch/run.h"
#include "reports/record/statistics.h"
#include "reports/record/summary.h"
#include "scenarios/read.h"
#include "tests/bench/peer.h"
#include "tests/support/places.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <stdexcept>

namespace foretrain::bench {
namespace {

// What a figure is, and whether more of it is better.
enum class Unit { gradients_per_s, ms_a_step, ms_an_all_reduce };

struct Contest {
  std::string name;
  std::string model;
  std::string dataset;
  std::string training;
  std::string transport;
  Unit unit;
  std::string peer_line;  // what is in the line of the peer that has its figure
  std::string peer_label;
  double goal = 0;  // ratio, ours over theirs; 0: none
  bool small = false;
};
struct Group {
  std::string name;
  std::string peer;  // its command, in the folder of the peers
  std::vector<Contest> contests;
};

const char* const kDigits = "{format: digits, take: 2000, test_take: 100}";

Contest server(const std::string& strategy, double goal) {
  return {fmt::format("softmax, {}, 2 workers, batch 64", strategy),
          "softmax",
          kDigits,
          fmt::format("strategy: {}, workers: 2, servers: 1, batch_size: 64, steps: 6000, "
                      "optimizer: {{name: sgd, learning_rate: 0.01}}",
                      strategy),
          "",
          Unit::gradients_per_s,
          "gloo PS",
          "median=",
          goal,
          true};
}

Contest ddp(const std::string& model, int workers, int steps, double goal) {
  return {fmt::format("{}, all_reduce, {} workers, batch 64", model, workers), model, kDigits,
          fmt::format("strategy: all_reduce, workers: {}, batch_size: 64, steps: {}, "
                      "optimizer: {{name: adam, learning_rate: 0.001}}",
                      workers, steps),
          // More than the usual cores: the kernel moves them about, as it does the peer's.
          workers > 2 ? "transport: {pin: off}\n" : "", Unit::ms_a_step,
          model == "lenet" ? "lenet61k" : "tflenet3.27M", "median=", goal, model == "lenet"};
}

// A training whose gradient is cheap for its size, so that summing it is most of a step.
Contest all_reduce(const std::string& bytes, const std::string& model, const std::string& dataset,
                   int workers, int steps, double goal) {
  return {fmt::format("all-reduce of {} bytes, {} workers", bytes, workers),
          model,
          dataset,
          fmt::format("strategy: all_reduce, workers: {}, batch_size: 1, steps: {}, overlap: off, "
                      "optimizer: {{name: sgd, learning_rate: 0.0001}}",
                      workers, steps),
          workers > 2 ? "transport: {pin: off}\n" : "",
          Unit::ms_an_all_reduce,
          fmt::format("bytes={:>10} ", bytes),
          "median=",
          goal,
          bytes == "31400"};
}

std::vector<Contest> all_reduces(int workers, double goal) {
  const std::string images =
      "{format: images, take: 64, test_take: 8, side: 224, channels: 3, classes: 1000}";
  return {
      all_reduce("31400", "softmax", kDigits, workers, 2000, 0),
      all_reduce("246824", "lenet", kDigits, workers, 500, 0),
      all_reduce("1000000", "{name: mlp, hidden: [314]}", kDigits, workers, 300, 0),
      all_reduce("25000000", "{name: mlp, hidden: [7861]}", kDigits, workers, 60, goal),
      all_reduce("244403360", "alexnet", images, workers, 12, goal),
  };
}

std::vector<Group> groups() {
  return {
      {"async", "gloo_ps.py async 2 64 1500", {server("async", 3)}},
      {"sync", "gloo_ps.py sync 2 64 1500", {server("sync", 1.5)}},
      {"ddp2", "ddp.py ddp 2", {ddp("lenet", 2, 600, 2), ddp("lenet_large", 2, 60, 1.4)}},
      {"ddp3", "ddp.py ddp 3", {ddp("lenet", 3, 600, 2), ddp("lenet_large", 3, 60, 1.4)}},
      {"allreduce2", "ddp.py allreduce 2", all_reduces(2, 2)},
      {"allreduce3", "ddp.py allreduce 3", all_reduces(3, 0)},
  };
}

// What is left of a step without its gradient, of the worker whose gradient was ready last: from
// then on everybody is there, as after the barrier of the peer. It applies the sum, too.
double all_reduce_ms(const Record& record) {
  std::map<std::int64_t, double> by_step;
  for (const StepRow& row : record.steps) {
    const Phases& phases = row.report.phases;
    const double s = (phases.push + phases.wait + phases.apply + phases.pull).seconds();
    const auto [place, first] = by_step.emplace(row.report.step.value, s);
    if (!first) place->second = std::min(place->second, s);
  }
  std::vector<double> times;
  for (const auto& [step, s] : by_step) {
    if (step >= 2) times.push_back(1e3 * s);
  }
  return median(times).value();
}

double ours(const Contest& contest, bool smoke) {
  const std::string text =
      fmt::format("foretrain: 1\nname: bench\nmodel: {}\ndataset: {}\ntraining: {{{}}}\n{}",
                  contest.model, contest.dataset, contest.training, contest.transport);
  std::vector<std::string> overrides;
  if (smoke) overrides.emplace_back("training.steps=5");
  ::foretrain::exec::RunOptions options;
  options.program = program_path();
  const Record record =
      ::foretrain::exec::run(parse_scenario(text, "bench", overrides).front(), options);
  if (record.outcome != Outcome::done) throw std::runtime_error(record.failure);
  const Summary summary = summarize(record);
  switch (contest.unit) {
    case Unit::gradients_per_s:
      return summary.gradients_per_s.value();
    case Unit::ms_a_step:
      return 1e3 * summary.time_s / static_cast<double>(summary.updates);
    case Unit::ms_an_all_reduce:
      return all_reduce_ms(record);
  }
  return 0;
}

struct Options {
  bool smoke = false;
  std::vector<std::string> only;
  int rounds = 3;
  std::string peers;  // their folder
};

Options parse(const std::vector<std::string>& arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const bool valued = i + 1 < arguments.size();
    if (arguments[i] == "--smoke") {
      options.smoke = true;
    } else if (arguments[i] == "--only" && valued) {
      options.only = split(arguments[++i]);
    } else if (arguments[i] == "--rounds" && valued) {
      options.rounds = std::stoi(arguments[++i]);
    } else if (arguments[i] == "--peer") {
      options.peers = peers_folder();
    } else {
      throw std::runtime_error(fmt::format(
          "{}: no such option, or no value; there are --only, --rounds, --peer", arguments[i]));
    }
  }
  return options;
}

// Round trips and streams of plain sockets, with the congestion control that the kernel chose and
// with ours.
void print_wire(const Options& options) {
  const std::string program = std::filesystem::temp_directory_path() / "foretrain-pingpong";
  lines_of(fmt::format("g++ -O2 {}/pingpong.cpp -o {} -lpthread", options.peers, program));
  for (const char* control : {"", "CC=cubic "}) {
    for (const char* what : {"31400 2000", "25000000 10 2000"}) {
      for (const auto& line : lines_of(fmt::format("{}{} {}", control, program, what))) {
        fmt::print("  wire {}{}", control, line);
      }
    }
  }
}

struct Figures {
  std::vector<double> ours;
  std::vector<double> theirs;
};

void run_group(const Options& options, const Group& group) {
  std::vector<Figures> figures(group.contests.size());
  for (int round = 0; round < (options.smoke ? 1 : options.rounds); ++round) {
    for (std::size_t i = 0; i < figures.size(); ++i) {
      const Contest& contest = group.contests[i];
      if (!options.smoke || contest.small) figures[i].ours.push_back(ours(contest, options.smoke));
    }
    if (options.peers.empty()) continue;
    const auto lines =
        lines_of(fmt::format("/usr/bin/python3 {}/{} 2>&1", options.peers, group.peer));
    for (std::size_t i = 0; i < figures.size(); ++i) {
      const Contest& contest = group.contests[i];
      for (const std::string& line : lines) {
        const auto figure = number_after(line, contest.peer_label);
        if (figure && line.find(contest.peer_line) != std::string::npos) {
          figures[i].theirs.push_back(*figure);
        }
      }
      if (figures[i].theirs.empty()) {
        for (const std::string& line : lines) fmt::print(stderr, "{}", line);
        throw std::runtime_error("the peer did not print a figure; what it printed is above");
      }
    }
  }
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const Contest& contest = group.contests[i];
    if (figures[i].ours.empty()) continue;
    const bool rate = contest.unit == Unit::gradients_per_s;
    const double mine = median(figures[i].ours).value();
    fmt::print("{:44} {:12.3f} {:12}", contest.name, mine, rate ? "gradients/s" : "ms");
    if (!figures[i].theirs.empty()) {
      const double theirs = median(figures[i].theirs).value();
      fmt::print(" {:12.3f} {:7.2f}", theirs, rate ? mine / theirs : theirs / mine);
      if (contest.goal > 0) fmt::print("  (goal {:g})", contest.goal);
    }
    fmt::print("\n");
  }
  if (!options.peers.empty()) print_wire(options);
  std::fflush(stdout);
}

}  // namespace

int exec_runs(const std::vector<std::string>& arguments) {
  const Options options = parse(arguments);
  const std::vector<Group> all = groups();
  std::vector<std::string> names;
  names.reserve(all.size());
  for (const Group& group : all) names.push_back(group.name);
  check_only(options.only, names);
  fmt::print("{:44} {:>12} {:12}{}\n", "run", "", "",
             options.peers.empty() ? "" : "         peer   ratio");
  for (const Group& group : all) {
    if (!options.only.empty() && std::ranges::count(options.only, group.name) == 0) continue;
    run_group(options, group);
  }
  return 0;
}

}  // namespace foretrain::bench
