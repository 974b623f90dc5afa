// A training whose processes are tasks that somebody else has started.
#pragma once

#include "exec/launch/start.h"
#include "exec/launch/task.h"

#include <optional>
#include <string>
#include <vector>

namespace foretrain::exec {

/// Of rank 0, which starts its own node; the other ranks join by themselves (`serve`).
class TaskStart : public Start {
 public:
  /// `job_key`, `tls`: what the user named; the environment says the rest. @throws InputError
  TaskStart(Task task, std::string job_key, TlsChoice tls);
  ~TaskStart() override;

  void check(const Case& scenario_case, const RunOptions& options) const override;
  /// Asks again until the address of rank 0 is known. @throws InputError as `meeting_point`, of
  /// keys, of certificates
  [[nodiscard]] Meeting meet(Duration limit, int port = 0) const override;
  [[nodiscard]] bool starts_all() const override { return false; }
  [[nodiscard]] std::string machine(const std::string& here) const override;
  [[nodiscard]] std::string listen_advice() const override;

  /// The tasks of other ranks are told that no training follows, when this ends.
  void dismiss_at_end(Duration limit) { dismissal_ = limit; }
  [[nodiscard]] const Task& task() const { return task_; }
  [[nodiscard]] bool encrypts() const { return tls().on; }
  /// As a task of another rank than 0: the node of that rank in `trainings` trainings; nothing: in
  /// all, until it is dismissed. Returns the exit status.
  [[nodiscard]] int serve(const RunOptions& options, std::optional<std::size_t> trainings) const;

 private:
  Task task_;
  std::string job_key_;
  std::optional<Duration> dismissal_;  // how long it may take
};

/// Every case has as many nodes as there are tasks. @throws InputError that says how many to start
void check_size(const std::vector<Case>& cases, const Task& task);

/// FORETRAIN_JOIN_LIMIT: how long tasks wait for each other. @throws InputError (no `90 s`)
std::optional<Duration> read_join_limit(const Environment& environment);

/// Where rank 0 listens. Asks again, for as long as `limit`, where no name is known: in a cluster
/// that is just starting they come late.
/// @throws InputError (no name is known in time; other machines can reach it, and there is no key)
boost::asio::ip::tcp::endpoint meeting_point(const Task& task, const JobKey& key, Duration limit);

}  // namespace foretrain::exec
