#include "exec/launch/task_start.h"

#include "exec/emulation/hosts.h"
#include "exec/launch/acceptor.h"
#include "exec/launch/control.h"
#include "exec/launch/kernel_program.h"
#include "exec/launch/key_file.h"
#include "exec/launch/node_process.h"
#include "exec/launch/run.h"
#include "exec/launch/this_program.h"
#include "exec/system/cache_folder.h"
#include "scenarios/language/input_error.h"
#include "scenarios/language/units.h"
#include "scenarios/resolve/placement.h"

#include <boost/asio/io_context.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <iterator>
#include <optional>
#include <set>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

namespace foretrain::exec {
using boost::asio::ip::tcp;
using Clock = std::chrono::steady_clock;

namespace {

// Every task takes the same one of several addresses; loopback is the last choice, since on Debian
// a host's own name resolves to 127.0.1.1.
std::optional<tcp::endpoint> resolve(const std::string& name, int port) {
  boost::asio::io_context loop;
  boost::system::error_code error;
  const auto found = tcp::resolver(loop).resolve(name, fmt::format("{}", port), error);
  std::vector<tcp::endpoint> all;
  if (!error)
    std::ranges::transform(found, std::back_inserter(all),
                           [](const auto& each) { return each.endpoint(); });
  std::ranges::stable_sort(all, {}, [](const tcp::endpoint& each) {
    return std::tuple(each.address().is_loopback(), each.address().is_v6(), each.address());
  });
  return all.empty() ? std::nullopt : std::optional(all.front());
}

// Rank 0 forecasts between two trainings, which takes a while.
constexpr Duration kBetweenTrainings{3'600'000'000'000};

bool is_address(const std::string& name) {
  boost::system::error_code error;
  boost::asio::ip::make_address(name, error);
  return !error;
}

}  // namespace

void check_size(const std::vector<Case>& cases, const Task& task) {
  for (const Case& each : cases) {
    const NodeCounts counts = node_counts(each.scenario);
    if (counts.nodes() == task.size) continue;
    throw InputError(fmt::format(
        "{}: {} nodes (workers: {}, servers: {}), but started were {} tasks: start {}{}, one for "
        "each node, or none (no srun, no mpirun, no WORLD_SIZE) to train on this machine alone",
        each.label(), counts.nodes(), counts.workers, counts.servers, task.size, counts.nodes(),
        cases.size() > 1 ? " for every case of the sweep" : ""));
  }
}

std::optional<Duration> read_join_limit(const Environment& environment) {
  const auto text = environment("FORETRAIN_JOIN_LIMIT");
  if (!text) return {};
  try {
    return parse_duration(*text);
  } catch (const BadValue& error) {
    throw InputError(fmt::format(
        "FORETRAIN_JOIN_LIMIT: {}; write how long tasks wait for each other, such as `90 s`",
        error.what()));
  }
}

tcp::endpoint meeting_point(const Task& task, const JobKey& key, Duration limit) {
  const auto deadline = Clock::now() + std::chrono::nanoseconds(limit.ns);
  while (true) {
    for (const std::string& name : task.addresses) {
      const auto found = resolve(name, task.port);
      if (!found) continue;
      const bool loopback = found->address().is_loopback();
      if (loopback && task.elsewhere && !is_address(name) && task.rank == 0) {
        throw InputError(fmt::format(
            "{} is {} here, which other machines cannot reach: set MASTER_ADDR, the same in every "
            "task, to the address of this machine on the network",
            name, found->address().to_string()));
      }
      if (!loopback && key.empty()) {
        throw InputError(
            fmt::format("rank 0 is at {}, where strangers can connect, so a job key is needed; {}",
                        found->address().to_string(), kMakeKey));
      }
      return *found;
    }
    if (Clock::now() > deadline) {
      throw InputError(
          fmt::format("no address is known for {} after {}: set MASTER_ADDR, the same in every "
                      "task, to the name or the address of the machine of rank 0",
                      fmt::join(task.addresses, ", "), to_text(limit)));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
  }
}

TaskStart::TaskStart(Task task, std::string job_key, TlsChoice tls)
    : Start(read_tls(std::move(tls), process_environment)),
      task_(std::move(task)),
      job_key_(std::move(job_key)) {}

void TaskStart::check(const Case& scenario_case, const RunOptions& options) const {
  if (options.emulate) {
    throw InputError(
        "--emulate: emulates all hosts on this machine, but a launcher started several tasks; "
        "start one process, or leave --emulate out");
  }
  check_signals(scenario_case, "that is a launcher; remove it, or start one process");
}

Meeting TaskStart::meet(Duration limit, int /*port*/) const {
  Meeting meeting;
  JobKey& key = meeting.known.key;
  key = read_job_key(job_key_, process_environment);
  meeting.place = meeting_point(task_, key, limit);
  if (key.empty()) key = read_user_key(cache_folder());
  meeting.known.tls = make_tls(tls(), key);
  return meeting;
}

std::string TaskStart::machine(const std::string& /*here*/) const {
  return "tasks of " + task_.started_by;
}

std::string TaskStart::listen_advice() const {
  return "set MASTER_ADDR to an address of the machine of rank 0, MASTER_PORT to a free port, the "
         "same in every task";
}

int TaskStart::serve(const RunOptions& options, std::optional<std::size_t> trainings) const {
  JoinSettings joining;
  joining.id = NodeId(static_cast<std::uint32_t>(task_.rank));
  joining.limit = options.join_timeout;
  joining.is_task = true;
  for (std::size_t done = 0; !trainings || done < *trainings; ++done) {
    const Meeting meeting = meet(options.join_timeout);
    joining.launcher = meeting.place;
    joining.known = meeting.known;
    const NodeEnded ended = node_until_told(joining);
    if (!ended.kernels.empty()) begin_again_with(ended.kernels, words_of_command());
    if (ended.status != 0 || !ended.trained) return ended.status;
    if (!trainings) joining.limit = kBetweenTrainings;
    joining.keeps_kernels = true;  // otherwise it would restart its count of trainings
  }
  return 0;
}

// Waits no longer for missing tasks than at the beginning.
TaskStart::~TaskStart() {
  if (!dismissal_) return;
  try {
    const Meeting meeting = meet(*dismissal_);
    boost::asio::io_context loop(1);
    Hosts here({}, false);
    const auto others = static_cast<std::size_t>(task_.size - 1);
    Acceptor acceptor(loop, meeting.known, others);
    if (!acceptor.listen(here, meeting.place).empty()) return;
    std::set<std::uint32_t> told;
    acceptor.open(
        [&](const std::shared_ptr<Connection>& task, std::uint32_t rank) {
          send_text(*task, ControlKind::exit, NodeId(kLauncher), name_of(Outcome::done));
          task->close_when_drained();
          told.insert(rank);
          if (told.size() == others) loop.stop();
        },
        [](const std::string& /*peer*/, const Refused& /*refused*/) {});
    loop.run_for(std::chrono::nanoseconds(dismissal_->ns));
  } catch (const std::exception&) {
    return;  // they end by themselves, later
  }
}

}  // namespace foretrain::exec
