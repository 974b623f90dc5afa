#include "tests/bench/exec.h"

#include "exec/launch/run.h"
#include "reports/record/statistics.h"
#include "reports/record/summary.h"
#include "scenarios/resolve/read.h"
#include "tests/bench/common/bench_options.h"
#include "tests/bench/peer.h"
#include "tests/support/places.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <utility>

namespace foretrain::bench {
namespace {

// The unit of a figure, which also says whether more is better.
enum class Unit { gradients_per_s, ms_a_step, ms_an_all_reduce };

struct Contest {
  std::string name;  // name of its row
  std::string note;
  std::string model;
  std::string dataset;
  std::string training;
  std::string transport;
  Unit unit;
  std::string peer_line;  // text that identifies the peer's line with its figure
  std::string peer_label;
  bool small = false;
};
struct Group {
  std::string name;
  std::string peer;  // command in the folder of the peers
  std::vector<Contest> contests;
};

const char* const kDigits = "{format: digits, take: 2000, test_take: 100}";

Contest server(const std::string& strategy) {
  return {fmt::format("exec/server/{}/2", strategy),
          "softmax, batch 64",
          "softmax",
          kDigits,
          fmt::format("strategy: {}, workers: 2, servers: 1, batch_size: 64, steps: 6000, "
                      "optimizer: {{name: sgd, learning_rate: 0.01}}",
                      strategy),
          "",
          Unit::gradients_per_s,
          "gloo PS",
          "median=",
          true};
}

Contest ddp(const std::string& model, int workers, int steps) {
  return {fmt::format("exec/ddp/{}/{}", model, workers), "batch 64", model, kDigits,
          fmt::format("strategy: all_reduce, workers: {}, batch_size: 64, steps: {}, "
                      "optimizer: {{name: adam, learning_rate: 0.001}}",
                      workers, steps),
          // More workers than cores here: the kernel schedules them, as it does the peer's.
          workers > 2 ? "transport: {pin: off}\n" : "", Unit::ms_a_step,
          model == "lenet" ? "lenet61k" : "tflenet3.27M", "median=", model == "lenet"};
}

// A training with a gradient that is cheap for its size, so that a step is mostly all-reduce.
Contest all_reduce(const std::string& size, const std::string& bytes, const std::string& model,
                   const std::string& dataset, int workers, int steps) {
  return {fmt::format("exec/all_reduce/{}/{}", size, workers),
          "",
          model,
          dataset,
          fmt::format("strategy: all_reduce, workers: {}, batch_size: 1, steps: {}, overlap: off, "
                      "optimizer: {{name: sgd, learning_rate: 0.0001}}",
                      workers, steps),
          workers > 2 ? "transport: {pin: off}\n" : "",
          Unit::ms_an_all_reduce,
          fmt::format("bytes={:>10} ", bytes),
          "median=",
          bytes == "31400"};
}

std::vector<Contest> all_reduces(int workers) {
  const std::string images =
      "{format: images, take: 64, test_take: 8, side: 224, channels: 3, classes: 1000}";
  return {
      all_reduce("31.4KB", "31400", "softmax", kDigits, workers, 2000),
      all_reduce("247KB", "246824", "lenet", kDigits, workers, 500),
      all_reduce("1MB", "1000000", "{name: mlp, hidden: [314]}", kDigits, workers, 300),
      all_reduce("25MB", "25000000", "{name: mlp, hidden: [7861]}", kDigits, workers, 60),
      all_reduce("244MB", "244403360", "alexnet", images, workers, 12),
  };
}

// The peer still uses sockets, because it has no shared memory between CPU processes.
std::vector<Contest> in_shared_memory(std::vector<Contest> contests) {
  for (Contest& contest : contests) {
    contest.name.replace(0, std::string_view("exec/all_reduce").size(), "exec/shared_memory");
    contest.transport = "transport: {shared_memory: on}\n";
  }
  return contests;
}

std::vector<Group> groups() {
  return {
      {"async", "gloo_ps.py async 2 64 1500", {server("async")}},
      {"sync", "gloo_ps.py sync 2 64 1500", {server("sync")}},
      {"ddp2", "ddp.py ddp 2", {ddp("lenet", 2, 600), ddp("lenet_large", 2, 60)}},
      {"ddp3", "ddp.py ddp 3", {ddp("lenet", 3, 600), ddp("lenet_large", 3, 60)}},
      {"allreduce2", "ddp.py allreduce 2", all_reduces(2)},
      {"allreduce3", "ddp.py allreduce 3", all_reduces(3)},
      {"shared2", "ddp.py allreduce 2", in_shared_memory(all_reduces(2))},
  };
}

// The duration of a step without its gradient, on the worker whose gradient was ready last: all
// other workers are waiting by then, as after the peer's barrier. It includes applying the sum.
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

// Round trips and streams over plain sockets, with the kernel's default congestion control and with
// ours.
void remark_wire(Report& report) {
  const std::string program = std::filesystem::temp_directory_path() / "foretrain-pingpong";
  lines_of(fmt::format("g++ -O2 {}/pingpong.cpp -o {} -lpthread", peers_folder(), program));
  for (const char* control : {"", "CC=cubic "}) {
    for (const char* what : {"31400 2000", "25000000 10 2000"}) {
      for (const auto& line : lines_of(fmt::format("{}{} {}", control, program, what))) {
        report.remark(fmt::format("  wire {}{}", control, line.substr(0, line.find('\n'))));
      }
    }
  }
}

struct Figures {
  std::vector<double> ours;
  std::vector<double> theirs;
};

// Adds a figure to each contest from the output of the group's peer.
void ask_peer(const Group& group, std::vector<Figures>& figures) {
  const auto lines =
      lines_of(fmt::format("/usr/bin/python3 {}/{} 2>&1", peers_folder(), group.peer));
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

void run_group(const Options& options, const Group& group, Report& report) {
  std::vector<Figures> figures(group.contests.size());
  for (int round = 0; round < options.rounds; ++round) {
    for (std::size_t i = 0; i < figures.size(); ++i) {
      const Contest& contest = group.contests[i];
      if (!options.smoke || contest.small) figures[i].ours.push_back(ours(contest, options.smoke));
    }
    if (options.peer) ask_peer(group, figures);
  }
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const Contest& contest = group.contests[i];
    if (figures[i].ours.empty()) continue;
    const bool rate = contest.unit == Unit::gradients_per_s;
    Result row = result_of(contest.name, rate ? "gradients/s" : "ms",
                           rate ? Better::more : Better::less, figures[i].ours);
    set_peer(row, "gloo", figures[i].theirs);
    row.note = contest.note;
    report.add(std::move(row));
  }
  if (options.peer) remark_wire(report);
}

}  // namespace

void exec_runs(const std::vector<std::string>& arguments, Report& report) {
  const std::vector<Group> all = groups();
  std::vector<std::string> names;
  names.reserve(all.size());
  for (const Group& group : all) names.push_back(group.name);
  const Options options =
      read_options(arguments, {"--smoke", "--only", "--rounds", "--peer"}, names);
  if (options.peer) check_torch(report);
  for (const Group& group : all) {
    if (options.wants(group.name)) run_group(options, group, report);
  }
}

}  // namespace foretrain::bench
