#include "exec/calibration/cluster/calibrate_cluster.h"

#include "exec/calibration/calibration_cache.h"
#include "exec/calibration/cluster/cluster_files.h"
#include "exec/calibration/cluster/measuring_task.h"
#include "exec/emulation/hosts.h"
#include "exec/launch/acceptor.h"
#include "exec/launch/control.h"
#include "exec/launch/rejected_connections.h"
#include "exec/launch/run.h"
#include "exec/launch/task_start.h"
#include "exec/system/process.h"
#include "reports/record/files.h"
#include "reports/record/interruption.h"
#include "scenarios/language/input_error.h"
#include "scenarios/language/units.h"
#include "scenarios/library/machine_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <exception>
#include <map>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace foretrain::exec {
using Clock = std::chrono::steady_clock;

namespace {

constexpr std::int64_t kCallsCounted = 200;  // counted round trips
constexpr Duration kWarmCalls{20'000'000};   // warm-up of caches
constexpr std::int64_t kFrame = 32 * 1024;   // payload of frames that fill a link
constexpr std::int64_t kFrames = 128;   // frames in flight: 8 connections of 100 ms: 2.6 Gbit/s
constexpr Duration kWarm{300'000'000};  // warm-up until windows have opened
constexpr int kWarmRoundTrips = 30;     // the same for links with long round trips
constexpr Duration kLoadCounted{400'000'000};         // minimum counting time
constexpr int kCountedRoundTrips = 200;               // likewise; long, since losses cause bursts
constexpr Duration kAnswerLimit{60'000'000'000};      // the longest time for an answer
constexpr Duration kComputeLimit{1'800'000'000'000};  // except for compute: half an hour
constexpr auto kLookForDead = std::chrono::milliseconds(300);
constexpr Duration kLookAround{100'000'000};      // interval of checks for trouble
constexpr Duration kTaskFarewell{2'000'000'000};  // for a task to react to exit

// Rank 0's part: it decides which task measures what, and when. Two tasks are on one host if they
// have the same address; the first of them measures, the others wait. All figures except compute
// are measured one after another; waiting tasks send nothing. One thread.
class Lead {
 public:
  // Listens for this number of tasks. @throws InputError if it cannot
  Lead(const Meeting& meeting, int tasks, const std::function<void(const std::string&)>& tell);
  // Tells all tasks the outcome.
  ~Lead();
  Lead(const Lead&) = delete;
  Lead& operator=(const Lead&) = delete;

  // Waits until all tasks have joined.
  // @throws std::runtime_error that names the missing ones, InputError if all are on one host
  void gather(Duration limit);
  // @throws std::runtime_error that names a task that was lost, could not do its order, or not in
  // time
  ClusterFound measure();
  // Tells the tasks that the calibration succeeded.
  void finish() { outcome_ = Outcome::done; }

 private:
  struct Measurer {
    std::shared_ptr<Connection> connection{};
    nlohmann::json place{};  // host, address, port, rank
    std::optional<nlohmann::json> answer{};
    std::string trouble{};  // why it was lost, or gave up
    bool lost = false;
  };
  using Order = std::pair<std::size_t, nlohmann::json>;  // for a host

  void on_joined(const std::shared_ptr<Connection>& connection, std::uint32_t rank);
  void on_frame(std::uint32_t rank, const FrameHeader& header, const Payload& payload);
  void find_hosts();
  // Handles events until `done` or for `limit`; returns whether `done`.
  bool wait(const std::function<bool()>& done, Duration limit);
  void throw_trouble();
  [[nodiscard]] std::string described(std::size_t rank) const;
  // Sends all orders at once; returns the answers.
  std::vector<nlohmann::json> ask(const std::vector<Order>& orders, Duration limit = kAnswerLimit);
  [[nodiscard]] Order link(std::size_t from, std::size_t to, const LinkUse& use) const;
  Duration round_trip(std::size_t from, std::size_t to);
  [[nodiscard]] LinkUse load(int connections) const;
  void measure_pair(PairFound& pair);

  const std::function<void(const std::string&)>& tell_;
  boost::asio::io_context loop_{1};
  Hosts here_{{}, false};
  Acceptor acceptor_;
  RejectedConnections rejected_{"rank 0"};
  std::string failure_;  // why a task of this job cannot take part
  Outcome outcome_ = Outcome::failed;
  std::vector<Measurer> tasks_;     // by rank
  std::vector<std::size_t> hosts_;  // by host: the rank that measures it
  std::vector<std::string> names_;  // by host
  std::vector<Duration> own_;       // by host: round trip within it, the share of the programs
  Duration longest_;                // longest round trip
};

Lead::Lead(const Meeting& meeting, int tasks, const std::function<void(const std::string&)>& tell)
    : tell_(tell),
      acceptor_(loop_, meeting.known, static_cast<std::size_t>(tasks)),
      tasks_(static_cast<std::size_t>(tasks)) {
  const std::string wrong = acceptor_.listen(here_, meeting.place);
  if (!wrong.empty()) {
    throw InputError(
        fmt::format("rank 0: cannot listen on {}: {}; set MASTER_ADDR to an address of the machine "
                    "of rank 0, MASTER_PORT to a free port, the same in every task",
                    to_text(meeting.place), wrong));
  }
  acceptor_.open([this](const std::shared_ptr<Connection>& peer,
                        std::uint32_t rank) { on_joined(peer, rank); },
                 [this](const std::string& peer, const Refused& refused) {
                   if (refused.proved())
                     failure_ = fmt::format("a task at {}: {}", peer, refused.why);
                   const bool ours = refused.claimed && *refused.claimed < tasks_.size();
                   rejected_.add(peer, ours ? fmt::format("rank {}", *refused.claimed) : "",
                                 refused.why);
                 });
}

Lead::~Lead() {
  acceptor_.close();
  for (const Measurer& task : tasks_) {
    if (!task.connection) continue;
    send_text(*task.connection, ControlKind::exit, NodeId(kLauncher), name_of(outcome_));
    task.connection->close_when_drained();
  }
}

void Lead::on_joined(const std::shared_ptr<Connection>& connection, std::uint32_t rank) {
  if (rank >= tasks_.size() || tasks_[rank].connection) {
    rejected_.add(connection->peer(), fmt::format("rank {}", rank),
                  "this rank is not expected here");
    return connection->close();
  }
  Measurer& task = tasks_[rank];
  task.connection = connection;
  connection->start([this, rank](const FrameHeader& header,
                                 const Payload& payload) { on_frame(rank, header, payload); },
                    [&task](const std::string& why) {
                      task.connection = nullptr;
                      task.lost = true;
                      task.trouble = "was lost: " + why;
                    });
}

void Lead::on_frame(std::uint32_t rank, const FrameHeader& header, const Payload& payload) {
  Measurer& task = tasks_[rank];
  const auto kind = static_cast<ControlKind>(header.kind);
  try {
    if (kind == ControlKind::trouble) {
      task.trouble = "gave up: " + json_of(payload).at("why").get<std::string>();
    } else if (kind == ControlKind::measured && task.place.is_null()) {
      task.place = json_of(payload);
      task.place["rank"] = rank;
    } else if (kind == ControlKind::measured) {
      task.answer = json_of(payload);
    }
  } catch (const std::exception& error) {
    task.trouble = fmt::format("sent an invalid message ({})", error.what());
  }
}

bool Lead::wait(const std::function<bool()>& done, Duration limit) {
  const auto end = Clock::now() + std::chrono::nanoseconds(limit.ns);
  while (!done()) {
    throw_trouble();
    if (Clock::now() >= end) return false;
    loop_.run_one_for(std::chrono::nanoseconds(kLookAround.ns));
  }
  return true;
}

std::string Lead::described(std::size_t rank) const {
  const nlohmann::json& place = tasks_[rank].place;
  if (place.is_null()) return fmt::format("rank {}", rank);
  return fmt::format("rank {} ({})", rank, place.at("host").get<std::string>());
}

// If a task dies, its peers may notice it earlier than rank 0.
void Lead::throw_trouble() {
  if (Interruption::asked()) outcome_ = Outcome::interrupted;
  Interruption::check();
  if (!failure_.empty()) throw std::runtime_error(failure_);
  const auto troubled = [](const Measurer& task) { return !task.trouble.empty(); };
  if (std::ranges::none_of(tasks_, troubled)) return;
  loop_.run_for(kLookForDead);
  const auto lost = std::ranges::find_if(tasks_, &Measurer::lost);
  const auto first = lost != tasks_.end() ? lost : std::ranges::find_if(tasks_, troubled);
  const auto rank = static_cast<std::size_t>(first - tasks_.begin());
  throw std::runtime_error(fmt::format("{} {}", described(rank), first->trouble));
}

void Lead::gather(Duration limit) {
  const auto missing = [this] {
    std::vector<std::string> ranks;
    for (std::size_t rank = 0; rank < tasks_.size(); ++rank) {
      if (tasks_[rank].place.is_null()) ranks.push_back(fmt::format("rank {}", rank));
    }
    return ranks;
  };
  if (!wait([&] { return missing().empty(); }, limit)) {
    throw std::runtime_error(fmt::format("{} did not join within {}{}", fmt::join(missing(), ", "),
                                         to_text(limit), rejected_.summary()));
  }
  acceptor_.close();
  find_hosts();
}

void Lead::find_hosts() {
  std::map<std::string, int> addresses;
  std::map<std::string, int> hosts;  // by their own names
  for (const Measurer& task : tasks_) {
    if (addresses[task.place.at("address")]++ > 0) continue;
    hosts_.push_back(task.place.at("rank"));
    ++hosts[task.place.at("host")];
  }
  for (const std::size_t rank : hosts_) {
    const nlohmann::json& place = tasks_[rank].place;
    const std::string name = place.at("host");
    names_.push_back(hosts[name] == 1
                         ? name
                         : fmt::format("{} at {}", name, place.at("address").get<std::string>()));
  }
  if (hosts_.size() > 1) return;
  throw InputError(
      fmt::format("--cluster: all {} tasks are on one host, {}: start them on two or more, one on "
                  "each (srun --ntasks-per-node=1, mpirun --map-by node), or leave --cluster out "
                  "to measure this host alone",
                  tasks_.size(), names_.front()));
}

std::vector<nlohmann::json> Lead::ask(const std::vector<Order>& orders, Duration limit) {
  throw_trouble();
  for (const auto& [host, order] : orders) {
    Measurer& task = tasks_[hosts_[host]];
    task.answer.reset();
    send_json(*task.connection, ControlKind::measure, NodeId(kLauncher), order);
  }
  std::vector<nlohmann::json> answers;
  for (const auto& [host, order] : orders) {
    std::optional<nlohmann::json>& answer = tasks_[hosts_[host]].answer;
    if (!wait([&] { return answer.has_value(); }, limit)) {
      throw std::runtime_error(
          fmt::format("{} did not answer within {}", described(hosts_[host]), to_text(limit)));
    }
    answers.push_back(*std::exchange(answer, std::nullopt));
  }
  return answers;
}

Lead::Order Lead::link(std::size_t from, std::size_t to, const LinkUse& use) const {
  nlohmann::json order = tasks_[hosts_[to]].place;
  order["use"] = to_json(use);
  return {from, order};
}

Duration Lead::round_trip(std::size_t from, std::size_t to) {
  const LinkUse calls{.answers = kCallsCounted, .warm = kWarmCalls};
  return {ask({link(from, to, calls)}).front().at("round_trip_ns")};
}

LinkUse Lead::load(int connections) const {
  return {.connections = connections,
          .on_way = kFrames,
          .frame = kFrame,
          .answers = 4,
          .warm = std::max(kWarm, longest_ * kWarmRoundTrips),
          .counted = std::max(kLoadCounted, longest_ * kCountedRoundTrips)};
}

void Lead::measure_pair(PairFound& pair) {
  const Duration all = round_trip(pair.from, pair.to);
  const Duration own = std::min(Duration{(own_[pair.from].ns + own_[pair.to].ns) / 2}, all);
  pair.round_trip = all - own;
  longest_ = std::max(longest_, all);
  for (std::size_t i = 0; i < kConnections.size(); ++i) {
    const LinkUse use = load(kConnections[i]);
    pair.bytes_ps[i] = ask({link(pair.from, pair.to, use)}).front().at("bytes_ps");
  }
}

ClusterFound Lead::measure() {
  ClusterFound found;
  tell_(fmt::format("{} tasks on {} hosts: {}", tasks_.size(), hosts_.size(),
                    fmt::join(names_, ", ")));
  for (std::size_t host = 0; host < hosts_.size(); ++host) own_.push_back(round_trip(host, host));
  found.pairs = pairs_among(hosts_.size());
  for (std::size_t i = 0; i < found.pairs.size(); ++i) {
    PairFound& pair = found.pairs[i];
    tell_(fmt::format("pair {} of {}: {} to {}", i + 1, found.pairs.size(), names_[pair.from],
                      names_[pair.to]));
    measure_pair(pair);
  }
  tell_("all hosts at once, each to the next one");
  std::vector<Order> ring;
  std::vector<Order> compute;
  for (std::size_t host = 0; host < hosts_.size(); ++host) {
    ring.push_back(
        link((host + hosts_.size() - 1) % hosts_.size(), host, load(kConnections.back())));
    compute.emplace_back(host, nullptr);
  }
  for (const nlohmann::json& answer : ask(ring)) found.ring.push_back(answer.at("bytes_ps"));
  tell_(fmt::format("compute times of {} hosts, all at once: a few minutes", hosts_.size()));
  for (const nlohmann::json& answer : ask(compute, kComputeLimit)) {
    const std::string& name = names_[found.hosts.size()];
    found.hosts.push_back(
        {name, processor_of(answer.at("processor")), parse_machine(answer.at("machine"), name)});
  }
  return found;
}

// Rank 0 measures in a separate process, so that it hears of the others while its host computes.
class OwnTask {
 public:
  OwnTask(const Meeting& meeting, Duration limit, const ClusterOptions& options)
      : process_(fork()) {
    if (process_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
    if (process_ > 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    try {
      _exit(measure_as(0, meeting, limit, options.cases, options.compute));
    } catch (const std::exception&) {
      _exit(1);  // rank 0 sees that it is gone
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

Task task_of_launcher() {
  const std::optional<Task> task = own_task();
  if (task && task->size > 1) return *task;
  throw InputError(
      "--cluster: measures hosts on which a launcher started tasks, but no launcher started this "
      "one; put srun --ntasks-per-node=1 or mpirun --map-by node before it, or leave --cluster out "
      "to measure this machine");
}

}  // namespace

ClusterEnd calibrate_cluster(const ClusterOptions& options) {
  const TaskStart start(task_of_launcher(), options.job_key, {});
  const Duration limit = read_join_limit(process_environment).value_or(RunOptions{}.join_timeout);
  const Meeting meeting = start.meet(limit);
  const Task& task = start.task();
  if (task.rank != 0) {
    return {measure_as(task.rank, meeting, limit, options.cases, options.compute)};
  }
  const OwnTask own(meeting, limit, options);
  const Interruption interruption;
  Lead lead(meeting, task.size, options.tell);
  lead.gather(limit);
  const std::filesystem::path out = options.out.empty() ? "machines" : options.out;
  prepare_folder(out);  // all tasks have joined, so all learn if it cannot be written
  const ClusterFound found = lead.measure();
  write_cluster(found, base_of(options, found.hosts.size()), out);
  options.tell(cluster_summary(found));
  lead.finish();
  return {0, out / kClusterFile};
}

}  // namespace foretrain::exec
