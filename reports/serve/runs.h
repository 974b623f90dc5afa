// Real trainings that were started from the page.
#pragma once

#include "reports/serve/question.h"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace foretrain::serve {

/// Operations on processes of this program; main.cpp provides them.
struct Processes {
  /// Starts `foretrain` with these arguments; returns its id. It dies with the calling thread.
  std::function<int(const std::vector<std::string>& words)> start;
  /// How the process ended; nothing while it runs.
  std::function<std::optional<std::string>(int process)> how_ended;
  /// Ends a running process, first with SIGTERM so that its record is saved; waits for its end.
  std::function<void(int process)> end;
};

/// The runs, one at a time since they share this machine. Each is a process `foretrain run` with
/// its record in a new folder out/NAME/run-N. Thread-safe.
class Runs {
 public:
  Runs(Processes processes, std::filesystem::path out)
      : processes_(std::move(processes)), out_(std::move(out)) {}
  Runs(const Runs&) = delete;
  Runs& operator=(const Runs&) = delete;

  /// Starts a run from a thread that must outlive it; returns its number, from 1. @throws
  /// InputError if another run is active, or the folder cannot be created
  int start(const Asked& asked);

  /// `id`, `command`, `folder`, `running`, `how` it ended, `metrics`: its Prometheus metrics, null
  /// if it has ended, or does not answer within a second. @throws InputError if `id` is unknown
  nlohmann::ordered_json status(int id);
  /// All runs without their metrics, newest first.
  nlohmann::ordered_json all();

  /// Sends SIGINT; the record so far is saved. @throws InputError if there is no such run
  void stop(int id);
  /// Ends all runs, waits for them.
  void end();

 private:
  struct Run {
    int process = 0;
    int metrics_port = 0;
    std::string command;
    std::filesystem::path folder;
    std::optional<std::string> how;  ///< how it ended; nothing while it runs
  };

  [[nodiscard]] Run& run_called(int id);
  void look_at(Run& run) const;
  [[nodiscard]] nlohmann::ordered_json json_of(const Run& run, int id) const;
  [[nodiscard]] std::filesystem::path fresh_folder(const std::string& name) const;

  Processes processes_;
  std::filesystem::path out_;
  std::mutex mutex_;  // guards runs_
  std::vector<Run> runs_;
};

}  // namespace foretrain::serve
