// Tasks that a test starts as a foreign launcher would, configured by environment variables.
#pragma once

#include "tests/support/free_port.h"
#include "tests/support/places.h"
#include "tests/support/wait_until.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace foretrain::testing {

inline constexpr const char* kJobKey = "a-key-that-the-test-made";

/// Tasks of one job in a temporary folder; the destructor kills those that still run.
class TaskJob {
 public:
  explicit TaskJob(int size, std::string join_limit = "60 s")
      : folder_(std::filesystem::temp_directory_path() /
                ("foretrain-tasks-" + std::to_string(getpid()))),
        port_(free_port(1)),
        size_(size),
        limit_(std::move(join_limit)),
        tasks_(static_cast<std::size_t>(size), 0) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "small.yaml")
        << "foretrain: 1\nname: small\ndataset: {take: 300, test_take: 100}\n"
           "training: {workers: 2, batch_size: 16, steps: 200}\n";
  }
  TaskJob(const TaskJob&) = delete;
  TaskJob& operator=(const TaskJob&) = delete;
  ~TaskJob() {
    for (const pid_t task : tasks_) {
      if (task > 0) kill(task, SIGKILL);
      if (task > 0) waitpid(task, nullptr, 0);
    }
    std::filesystem::remove_all(folder_);
  }

  [[nodiscard]] int port() const { return port_; }
  [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }
  [[nodiscard]] std::string file(const std::string& name) const {
    std::ifstream text(folder_ / name);
    return {std::istreambuf_iterator<char>(text), {}};
  }
  [[nodiscard]] std::string errors(int rank) const { return file(std::to_string(rank) + ".err"); }
  [[nodiscard]] nlohmann::json answer() const { return nlohmann::json::parse(file("0.out")); }

  std::string command = "run";

  void start(int rank, const std::vector<std::string>& more = {}, const std::string& key = kJobKey,
             const std::map<std::string, std::string>& variables = {}) {
    std::vector<std::string> arguments{program_path(), command, "small.yaml", "--quiet",
                                       "--json",       "--out", "out"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const pid_t task = fork();
    REQUIRE(task >= 0);
    if (task == 0) become(rank, arguments, key, variables);
    tasks_.at(static_cast<std::size_t>(rank)) = task;
  }

  // Returns the exit status; 128 plus the signal if a signal ended the task.
  int end_of(int rank) {
    pid_t& task = tasks_.at(static_cast<std::size_t>(rank));
    int status = 0;
    REQUIRE(waitpid(task, &status, 0) == task);
    task = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  // Runs the same scenario without tasks.
  [[nodiscard]] nlohmann::json ordinary_answer() const {
    const std::string line = "cd '" + folder_.string() + "' && '" + program_path() +
                             "' run small.yaml --quiet --json --out alone >alone.out";
    REQUIRE(std::system(line.c_str()) == 0);
    return nlohmann::json::parse(file("alone.out"));
  }

  void kill_rank(int rank, int signal = SIGKILL) {
    kill(tasks_.at(static_cast<std::size_t>(rank)), signal);
  }

  // Waits until the launcher has written some steps.
  void wait_for_steps() const {
    wait_until([&] {
      std::error_code none;
      const auto bytes = std::filesystem::file_size(folder_ / "out/steps.csv", none);
      return !none && bytes > 1'000;
    });
  }
  // Waits until a checkpoint is complete: its manifest is written last.
  void wait_for_checkpoint() const {
    wait_until([&] {
      std::error_code none;
      const std::filesystem::directory_iterator all(folder_ / "out/checkpoints", none);
      return std::any_of(begin(all), end(all), [](const auto& each) {
        return std::filesystem::exists(each.path() / "manifest.json");
      });
    });
  }

 private:
  [[noreturn]] void become(int rank, const std::vector<std::string>& arguments,
                           const std::string& key,
                           std::map<std::string, std::string> variables) const {
    variables.merge(std::map<std::string, std::string>{{"RANK", std::to_string(rank)},
                                                       {"WORLD_SIZE", std::to_string(size_)},
                                                       {"MASTER_ADDR", "127.0.0.1"},
                                                       {"MASTER_PORT", std::to_string(port_)},
                                                       {"FORETRAIN_JOB_KEY", key},
                                                       {"FORETRAIN_JOIN_LIMIT", limit_}});
    for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
    if (chdir(folder_.c_str()) != 0) _exit(126);
    const std::string name = std::to_string(rank);
    for (const auto& [file, descriptor] :
         {std::pair(name + ".out", 1), std::pair(name + ".err", 2)}) {
      dup2(open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), descriptor);
    }
    std::vector<char*> raw;
    for (const std::string& each : arguments) raw.push_back(const_cast<char*>(each.c_str()));
    raw.push_back(nullptr);
    execv(raw[0], raw.data());
    _exit(127);
  }

  std::filesystem::path folder_;
  int port_;
  int size_;
  std::string limit_;
  std::vector<pid_t> tasks_;
};

}  // namespace foretrain::testing
