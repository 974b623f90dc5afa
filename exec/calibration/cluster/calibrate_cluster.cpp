#include "exec/calibration/cluster/calibrate_cluster.h"

#include "exec/calibration/calibration_cache.h"
#include "exec/calibration/cluster/cluster_files.h"
#include "exec/calibration/cluster/lead.h"
#include "exec/calibration/cluster/measuring_task.h"
#include "exec/launch/rendezvous.h"
#include "exec/system/process.h"
#include "reports/record/files.h"
#include "reports/record/interruption.h"
#include "scenarios/input_error.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <exception>
#include <system_error>

namespace foretrain::exec {
namespace {

constexpr Duration kTaskFarewell{2'000'000'000};  // for a task that hears exit

int measure_as(int rank, const Meeting& meeting, const RunOptions& run,
               const ClusterOptions& options) {
  std::signal(SIGPIPE, SIG_IGN);
  Joining joining;
  joining.launcher = meeting.place;
  joining.known = meeting.known;
  joining.id = NodeId(static_cast<std::uint32_t>(rank));
  joining.limit = run.join_timeout;
  joining.is_task = true;
  CalibrateOptions compute = options.compute;
  compute.among_tasks = true;
  return MeasuringTask(joining, options.cases.empty() ? usual_cases() : options.cases, compute)
      .run();
}

// Rank 0 leads in a process of its own, so that it hears of the others while its host computes.
class OwnTask {
 public:
  OwnTask(const Meeting& meeting, const RunOptions& run, const ClusterOptions& options)
      : process_(fork()) {
    if (process_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
    if (process_ > 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    try {
      _exit(measure_as(0, meeting, run, options));
    } catch (const std::exception&) {
      _exit(1);  // the lead sees that it is gone
    }
  }
  OwnTask(const OwnTask&) = delete;
  OwnTask& operator=(const OwnTask&) = delete;
  ~OwnTask() { end_processes({process_}, kTaskFarewell); }

 private:
  pid_t process_;
};

Scenario base_of(const ClusterOptions& options, std::size_t hosts) {
  if (!options.cases.empty()) return options.cases.front().scenario;
  Scenario scenario = usual_cases().front().scenario;
  scenario.name = "cluster";
  scenario.training.workers = static_cast<int>(hosts);
  return scenario;
}

// How they meet, as the environment says.
RunOptions tasks_of(const ClusterOptions& options) {
  RunOptions run;
  run.job_key = options.job_key;
  run.task = own_task();
  if (!run.task || run.task->size < 2) {
    throw InputError(
        "--cluster: measures the hosts that a launcher has started tasks on, and none has: write "
        "srun --ntasks-per-node=1, or mpirun --map-by node, before it; without --cluster it "
        "measures this machine");
  }
  run.join_timeout = read_join_limit(process_environment).value_or(run.join_timeout);
  run.tls = read_tls(run.tls, process_environment);
  return run;
}

}  // namespace

ClusterEnd calibrate_cluster(const ClusterOptions& options) {
  const RunOptions run = tasks_of(options);
  const Meeting meeting = arrange(run);
  if (run.task->rank != 0) return {measure_as(run.task->rank, meeting, run, options)};
  const OwnTask own(meeting, run, options);
  const Interruption interruption;
  Lead lead(meeting, run.task->size, options.tell);
  lead.gather(run.join_timeout);
  const std::filesystem::path out = options.out.empty() ? "machines" : options.out;
  prepare_folder(out);  // all have come, so all are told where it cannot be written
  const ClusterFound found = lead.measure();
  write_cluster(found, base_of(options, found.hosts.size()), out);
  options.tell(cluster_summary(found));
  lead.finish();
  return {0, out / kClusterFile};
}

}  // namespace foretrain::exec
