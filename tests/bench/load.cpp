#include "tests/bench/load.h"

#include "reports/record/files.h"
#include "tests/bench/common/bench_options.h"
#include "tests/bench/long_record.h"
#include "tests/bench/strangers.h"
#include "tests/support/child_processes.h"
#include "tests/support/free_port.h"
#include "tests/support/places.h"
#include "tests/support/temp_folder.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

namespace foretrain::bench {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

struct Crowd {
  int workers = 200;
  int seconds = 60;
  std::size_t idle = 1'000;
  std::size_t slow = 50;
  std::int64_t record_steps = 1'000'000;
};

// Bounds on growth from the begin to the end, for the launcher and the server.
constexpr double kMostMemoryGrown_mb = 32;
// Pending handshakes (exec/transport/pending_handshakes.h), metrics connections
// (exec/metrics/endpoint.h), files that are open for a moment.
constexpr int kMostDescriptorsGrown = 64 + 16 + 16;
constexpr int kMostStandstill_s = 10;

Crowd crowd_of(const std::vector<std::string>& arguments) {
  const Options options = read_options(arguments, {"--smoke", "--seconds", "--workers"});
  Crowd crowd;
  if (options.smoke) crowd = {4, 1, 40, 5, 5'000};
  if (options.seconds) crowd.seconds = std::max(1, static_cast<int>(*options.seconds));
  crowd.workers = options.workers.value_or(crowd.workers);
  return crowd;
}

std::string text_of_file(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Resources of a process at a moment.
struct Held {
  double memory_mb = 0;
  int descriptors = 0;
};

Held held_by(pid_t process) {
  const fs::path folder = fmt::format("/proc/{}", process);
  const std::string status = text_of_file(folder / "status");
  const auto at = status.find("VmRSS:");
  if (at == std::string::npos) throw std::runtime_error("a process of the training is gone");
  Held held;
  held.memory_mb = std::stod(status.substr(at + 6)) * 1024 / 1e6;
  for (const auto& each : fs::directory_iterator(folder / "fd")) {
    held.descriptors += each.path().empty() ? 0 : 1;
  }
  return held;
}

struct Growth {
  Held begin;
  Held end;
};

/// A training in its own process, until it is stopped.
class Run {
 public:
  Run(const fs::path& folder, const Crowd& options, int port) : folder_(folder / "run") {
    write_text_file(folder / "load.yaml",
                    fmt::format("foretrain: 1\nname: load\nmodel: softmax\n"
                                "dataset: {{format: images, side: 8, channels: 1, classes: 2, "
                                "take: {}, test_take: 10}}\n"
                                "training: {{strategy: async, workers: {}, batch_size: 4, steps: "
                                "1000000, silence_limit: 60 s}}\n",
                                4 * options.workers, options.workers));
    std::vector<std::string> words{
        program_path(), "run",    folder / "load.yaml", "--quiet",   "--out",
        folder_,        "--port", std::to_string(port), "--metrics", std::to_string(port + 2)};
    errors_ = folder / "errors.txt";
    launcher_ = fork();
    if (launcher_ < 0) throw std::runtime_error("no process could be started");
    if (launcher_ > 0) return;
    std::vector<char*> called;
    for (std::string& word : words) called.push_back(word.data());
    called.push_back(nullptr);
    dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);  // its figures are reported here
    dup2(open(errors_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
    execv(program_path(), called.data());
    _exit(127);
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run() {
    if (!ended_) kill(launcher_, SIGKILL);
    if (!ended_) waitpid(launcher_, nullptr, 0);
  }

  [[nodiscard]] pid_t launcher() const { return launcher_; }
  /// The server process that started last.
  [[nodiscard]] pid_t server() const {
    for (const pid_t child : testing::child_processes(launcher_)) {
      const std::string command = text_of_file(fmt::format("/proc/{}/cmdline", child));
      if (command.find(fmt::format("--id{}{}", '\0', server_id_)) != std::string::npos)
        return child;
    }
    throw std::runtime_error("there is no server");
  }
  void expect_server(int id) { server_id_ = id; }

  void wait_until_it_trains() {
    const auto deadline = Clock::now() + std::chrono::minutes(3);
    while (rows_size() == 0) {
      look();
      if (Clock::now() > deadline) throw std::runtime_error("no step within 3 minutes");
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }
  /// Lets it train for this long.
  void train_for(std::chrono::seconds time) {
    const auto end = Clock::now() + time;
    auto moved = Clock::now();
    auto size = rows_size();
    while (Clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      look();
      const auto now = rows_size();
      if (std::exchange(size, now) != now) moved = Clock::now();
      if (Clock::now() - moved > std::chrono::seconds(kMostStandstill_s)) {
        throw std::runtime_error(fmt::format("no step for {} s", kMostStandstill_s));
      }
    }
  }
  Record end() {
    kill(launcher_, SIGTERM);
    int status = 0;
    waitpid(launcher_, &status, 0);
    ended_ = true;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 130) fail(status);
    Record record = read_record(folder_);
    if (record.outcome != Outcome::interrupted || record.gradients == 0) fail(status);
    for (const NodeTotals& node : record.nodes) {
      if (!node.lost.empty()) throw std::runtime_error(node.role + " " + node.lost);
    }
    return record;
  }

 private:
  [[noreturn]] void fail(int status) const {
    const int told = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    throw std::runtime_error(
        fmt::format("the training ended with status {} before it was told to: {}", told,
                    text_of_file(errors_)));
  }
  void look() {
    int status = 0;
    if (waitpid(launcher_, &status, WNOHANG) != launcher_) return;
    ended_ = true;
    fail(status);
  }
  [[nodiscard]] std::uintmax_t rows_size() const {
    constexpr std::uintmax_t kTitles = 200;  // at most
    std::error_code error;
    const std::uintmax_t size = fs::file_size(folder_ / kStepsFile, error);
    return error || size <= kTitles ? 0 : size;
  }

  fs::path folder_;
  fs::path errors_;
  pid_t launcher_ = 0;
  int server_id_ = 0;
  bool ended_ = false;
};

/// The outcome of a training.
struct Loaded {
  double gradients_per_s = 0;
  double startup_s = 0;
  std::int64_t refused = 0;
  std::int64_t came = 0;
  std::int64_t turned_away = 0;
  Growth launcher;
  Growth server;
};

Loaded train(const Crowd& options, bool strangers) {
  const TempFolder folder;
  const int port = testing::free_port(3);
  std::optional<Strangers> at_launcher;
  std::optional<Strangers> at_server;
  std::optional<Strangers> at_metrics;
  Loaded loaded;
  {
    Run run(folder.path(), options, port);
    run.expect_server(options.workers);
    if (strangers) {
      at_launcher.emplace(port, options.idle, options.slow);
      at_server.emplace(port + 1, options.idle, options.slow);
      at_metrics.emplace(port + 2, options.idle, options.slow);
    }
    run.wait_until_it_trains();
    const pid_t server = run.server();
    loaded.launcher.begin = held_by(run.launcher());
    loaded.server.begin = held_by(server);
    run.train_for(std::chrono::seconds(options.seconds));
    loaded.launcher.end = held_by(run.launcher());
    loaded.server.end = held_by(server);
    const Record record = run.end();
    loaded.gradients_per_s = static_cast<double>(record.gradients) / record.time.seconds();
    loaded.startup_s = record.startup.seconds();
    loaded.refused = record.refused;
  }
  for (const auto* each : {&at_launcher, &at_server, &at_metrics}) {
    if (!*each) continue;
    loaded.came += (*each)->came();
    loaded.turned_away += (*each)->turned_away();
  }
  return loaded;
}

void print_held(const std::string& who, const Growth& alone, const Growth& beside) {
  fmt::print("{:24} {:7.1f} -> {:7.1f} MB   {:7.1f} -> {:7.1f} MB\n", who + ", memory",
             alone.begin.memory_mb, alone.end.memory_mb, beside.begin.memory_mb,
             beside.end.memory_mb);
  fmt::print("{:24} {:7} -> {:7}      {:7} -> {:7}\n", who + ", descriptors",
             alone.begin.descriptors, alone.end.descriptors, beside.begin.descriptors,
             beside.end.descriptors);
}

void check_growth(const std::string& who, const Growth& held) {
  const double memory_mb = held.end.memory_mb - held.begin.memory_mb;
  const int descriptors = held.end.descriptors - held.begin.descriptors;
  if (memory_mb > kMostMemoryGrown_mb) {
    throw std::runtime_error(fmt::format("{}: {:.1f} MB more in the end, {:g} may be", who,
                                         memory_mb, kMostMemoryGrown_mb));
  }
  if (descriptors > kMostDescriptorsGrown) {
    throw std::runtime_error(fmt::format("{}: {} descriptors more in the end, {} may be", who,
                                         descriptors, kMostDescriptorsGrown));
  }
}

// Each stranger takes a descriptor of this process.
void allow_strangers(const Crowd& options) {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  const std::size_t need = 3 * (options.idle + options.slow) + 64;
  if (limit.rlim_max >= need) return;
  throw std::runtime_error(fmt::format("{} files have to be open at once, {} may be (ulimit -Hn)",
                                       need, limit.rlim_max));
}

}  // namespace

void load(const std::vector<std::string>& arguments, Report& report) {
  const Crowd options = crowd_of(arguments);
  allow_strangers(options);
  report.remark(
      fmt::format("load: {} workers, async, {} s; {} idle, {} slow strangers at the launcher, as "
                  "many at the server, at the metrics",
                  options.workers, options.seconds, options.idle, options.slow));
  const Loaded alone = train(options, false);
  const Loaded beside = train(options, true);
  for (const auto& [name, loaded] : {std::pair{"alone", &alone}, {"beside_strangers", &beside}}) {
    report.add(result_of(fmt::format("load/gradients/{}", name), "gradients/s", Better::more,
                         {loaded->gradients_per_s}));
    report.add(
        result_of(fmt::format("load/startup/{}", name), "s", Better::less, {loaded->startup_s}));
  }
  fmt::print("{:24} {:>21}   {:>21}\n", "", "alone", "beside strangers");
  fmt::print("{:24} {:21}   {:21}\n", "strangers came", alone.came, beside.came);
  fmt::print("{:24} {:21}   {:21}\n", "  were turned away", alone.turned_away, beside.turned_away);
  fmt::print("{:24} {:21}   {:21}\n", "  as the launcher counts", alone.refused, beside.refused);
  print_held("launcher", alone.launcher, beside.launcher);
  print_held("server", alone.server, beside.server);
  std::fflush(stdout);
  check_growth("launcher", alone.launcher);
  check_growth("server", alone.server);
  check_growth("launcher beside strangers", beside.launcher);
  check_growth("server beside strangers", beside.server);
  long_record(options.record_steps, report);
}

}  // namespace foretrain::bench
