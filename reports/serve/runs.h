// Trainings for real that the page has started.
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

/// Processes of this program; main.cpp fills it.
struct Processes {
  /// `foretrain` with these words; it dies with the thread that started it. Returns its id.
  std::function<int(const std::vector<std::string>& words)> start;
  /// How one has ended; nothing: it goes on.
  std::function<std::optional<std::string>(int process)> how_ended;
  /// Ends one that still goes on: politely first, so that its record is kept. Waits for it.
  std::function<void(int process)> end;
};

/// Runs share this machine, so they go one at a time. Each is a process of its own, `foretrain
/// run`, with its record in a fresh folder out/NAME/run-N. From any thread.
class Runs {
 public:
  Runs(Processes processes, std::filesystem::path out)
      : processes_(std::move(processes)), out_(std::move(out)) {}
  Runs(const Runs&) = delete;
  Runs& operator=(const Runs&) = delete;

  /// From a thread that lasts. Returns the number of the run, from 1. @throws InputError where
  /// another goes on, or its folder cannot be made
  int start(const Asked& asked);

  /// `id`, `command`, `folder`, `running`, `how` it ended, `metrics`: what it tells Prometheus now,
  /// null where it tells nothing. Waits for that, a second at most. @throws InputError where there
  /// is no such run
  nlohmann::ordered_json status(int id);
  /// Of all, without metrics, the newest first.
  nlohmann::ordered_json all();

  /// Asks it to end; its record so far is kept. @throws InputError where there is no such run
  void stop(int id);
  /// Ends all, waits for them.
  void end();

 private:
  struct Run {
    int process = 0;
    int metrics_port = 0;
    std::string command;
    std::filesystem::path folder;
    std::optional<std::string> how;  ///< it ended; nothing: it goes on
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
