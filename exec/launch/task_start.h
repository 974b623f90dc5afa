// A training whose processes are tasks that another program has started.
#pragma once

#include "exec/launch/start.h"
#include "exec/launch/task.h"

#include <optional>
#include <string>
#include <vector>

namespace foretrain::exec {

/// For rank 0, which starts its own node; the other ranks join by themselves (`serve`).
class TaskStart : public Start {
 public:
  /// `job_key`, `tls`: named by the user; the environment gives the rest. @throws InputError
  TaskStart(Task task, std::string job_key, TlsChoice tls);
  ~TaskStart() override;

  void check(const Case& scenario_case, const RunOptions& options) const override;
  /// Tries again until the address of rank 0 is known.
  /// @throws InputError as `meeting_point`, for keys, for certificates
  [[nodiscard]] Meeting meet(Duration limit, int port = 0) const override;
  [[nodiscard]] bool starts_all() const override { return false; }
  [[nodiscard]] std::string machine(const std::string& here) const override;
  [[nodiscard]] std::string listen_advice() const override;

  /// When this is destroyed, the tasks of other ranks are told that no training follows.
  void dismiss_at_end(Duration limit) { dismissal_ = limit; }
  [[nodiscard]] const Task& task() const { return task_; }
  [[nodiscard]] bool encrypts() const { return tls().on; }
  /// For a task of another rank than 0: runs the node of that rank in `trainings` trainings;
  /// nullopt: in all until rank 0 dismisses this task. Returns the exit status.
  [[nodiscard]] int serve(const RunOptions& options, std::optional<std::size_t> trainings) const;

 private:
  Task task_;
  std::string job_key_;
  std::optional<Duration> dismissal_;  // time limit of the dismissal
};

/// Checks the number of nodes of every case. @throws InputError that says how many tasks to start
void check_size(const std::vector<Case>& cases, const Task& task);

/// FORETRAIN_JOIN_LIMIT: how long tasks wait for each other. @throws InputError (no `90 s`)
std::optional<Duration> read_join_limit(const Environment& environment);

/// The address at which rank 0 listens. If no name can be resolved, tries again for `limit`: in a
/// cluster that is just starting, names appear late.
/// @throws InputError (no name is known in time; other machines can reach it, and there is no key)
boost::asio::ip::tcp::endpoint meeting_point(const Task& task, const JobKey& key, Duration limit);

}  // namespace foretrain::exec
