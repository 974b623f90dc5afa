#include "exec/calibration/cluster/lead.h"

#include "exec/calibration/cluster/orders.h"
#include "reports/record/interruption.h"
#include "scenarios/input_error.h"
#include "scenarios/units.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <stdexcept>
#include <utility>

namespace foretrain::exec {
using Clock = std::chrono::steady_clock;

namespace {

constexpr int kCallsCounted = 200;                    // of a round trip, that count
constexpr Duration kWarm{300'000'000};                // until windows have opened
constexpr int kWarmRoundTrips = 30;                   // likewise, where they are long
constexpr Duration kLoadCounted{400'000'000};         // bytes are counted for so long, or longer:
constexpr int kCountedRoundTrips = 200;               // what waits for a lost packet comes at once
constexpr Duration kAnswerLimit{60'000'000'000};      // the most that an answer takes
constexpr Duration kComputeLimit{1'800'000'000'000};  // but that of compute: half an hour
constexpr auto kLookForDead = std::chrono::milliseconds(300);
constexpr Duration kLookAround{100'000'000};  // of a look at who is there

}  // namespace

std::vector<PairFound> pairs_among(std::size_t hosts) {
  std::vector<PairFound> pairs;
  for (std::size_t step = 1; step < hosts; step = hosts <= kAllPairs ? step + 1 : 2 * step) {
    for (std::size_t from = 0; from < hosts; ++from) {
      PairFound pair;
      pair.from = from;
      pair.to = (from + step) % hosts;
      pairs.push_back(pair);
    }
  }
  return pairs;
}

Lead::Lead(const Meeting& meeting, int tasks, Tell tell)
    : tell_(std::move(tell)),
      door_(loop_, meeting.known, static_cast<std::size_t>(tasks)),
      tasks_(static_cast<std::size_t>(tasks)) {
  const std::string wrong = door_.listen(here_, meeting.place);
  if (!wrong.empty()) {
    throw InputError(
        fmt::format("rank 0: cannot listen on {}: {}; set MASTER_ADDR to an address of the machine "
                    "of rank 0, MASTER_PORT to a free port, the same in every task",
                    to_text(meeting.place), wrong));
  }
  door_.open(
      [this](const std::shared_ptr<Connection>& peer, std::uint32_t rank) {
        on_joined(peer, rank);
      },
      [this](const std::string& peer, const Refused& refused) { on_refused(peer, refused); });
}

Lead::~Lead() {
  door_.close();
  for (const Task& task : tasks_) {
    if (!task.connection) continue;
    send_text(*task.connection, ControlKind::exit, NodeId(kLauncher), name_of(outcome_));
    task.connection->close_when_drained();
  }
}

void Lead::on_joined(const std::shared_ptr<Connection>& connection, std::uint32_t rank) {
  if (rank >= tasks_.size() || tasks_[rank].connection) {
    refusals_.add(connection->peer(), fmt::format("rank {}", rank), "no such rank is missing here");
    return connection->close();
  }
  Task& task = tasks_[rank];
  task.connection = connection;
  connection->start([this, rank](const FrameHeader& header,
                                 const Payload& payload) { on_frame(rank, header, payload); },
                    [&task](const std::string& why) {
                      task.connection = nullptr;
                      task.lost = true;
                      task.trouble = "was lost: " + why;
                    });
}

void Lead::on_refused(const std::string& peer, const Refused& refused) {
  if (refused.proved()) failure_ = fmt::format("a task at {}: {}", peer, refused.why);
  const bool one_of_us = refused.claimed && *refused.claimed < tasks_.size();
  refusals_.add(peer, one_of_us ? fmt::format("rank {}", *refused.claimed) : "", refused.why);
}

void Lead::on_frame(std::uint32_t rank, const FrameHeader& header, const Payload& payload) {
  Task& task = tasks_[rank];
  const auto kind = static_cast<ControlKind>(header.kind);
  try {
    if (kind == ControlKind::trouble) {
      task.trouble = "gave up: " + json_of(payload).at("why").get<std::string>();
    } else if (kind == ControlKind::measured) {
      (task.place.is_null() ? task.place : task.answer.emplace()) = json_of(payload);
    }
  } catch (const std::exception& error) {
    task.trouble = fmt::format("sent something that makes no sense ({})", error.what());
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

// When a task dies, those that it talks to may notice it sooner than its lead does.
void Lead::throw_trouble() {
  if (Interruption::asked()) outcome_ = Outcome::interrupted;
  Interruption::check();
  if (!failure_.empty()) throw std::runtime_error(failure_);
  const auto troubled = [](const Task& task) { return !task.trouble.empty(); };
  if (std::ranges::none_of(tasks_, troubled)) return;
  loop_.run_for(kLookForDead);
  const auto lost = std::ranges::find_if(tasks_, &Task::lost);
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
    throw std::runtime_error(fmt::format("{} did not come within {}{}", fmt::join(missing(), ", "),
                                         to_text(limit), refusals_.summary()));
  }
  door_.close();
  find_hosts();
}

void Lead::find_hosts() {
  std::map<std::string, int> addresses;
  std::map<std::string, int> hosts;  // by the names that they have themselves
  for (std::size_t rank = 0; rank < tasks_.size(); ++rank) {
    const nlohmann::json& place = tasks_[rank].place;
    if (addresses[place.at("address")]++ > 0) continue;
    hosts_.push_back(rank);
    ++hosts[place.at("host")];
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

LinkPlace Lead::place_of(std::size_t host) const {
  const nlohmann::json& place = tasks_[hosts_[host]].place;
  nlohmann::json with_rank = place;
  with_rank["rank"] = hosts_[host];
  return link_place_of(with_rank);
}

void Lead::order(std::size_t host, const nlohmann::json& order) {
  throw_trouble();
  tasks_[hosts_[host]].answer.reset();
  send_json(*tasks_[hosts_[host]].connection, ControlKind::measure, NodeId(kLauncher), order);
}

nlohmann::json Lead::await(std::size_t host, Duration limit) {
  Task& task = tasks_[hosts_[host]];
  if (!wait([&] { return task.answer.has_value(); }, limit)) {
    throw std::runtime_error(
        fmt::format("{} did not answer within {}", described(hosts_[host]), to_text(limit)));
  }
  return std::move(*std::exchange(task.answer, std::nullopt));
}

nlohmann::json Lead::ask(std::size_t host, const nlohmann::json& order) {
  this->order(host, order);
  return await(host, kAnswerLimit);
}

Duration Lead::round_trip(std::size_t from, std::size_t to) {
  return {ask(from, {{"do", "call"}, {"there", to_json(place_of(to))}, {"rounds", kCallsCounted}})
              .at("round_trip_ns")};
}

std::vector<double> Lead::transfer(const std::vector<std::size_t>& from,
                                   const std::vector<std::size_t>& to, int connections) {
  const Duration warm = std::max(kWarm, longest_ * kWarmRoundTrips);
  const Duration counted = std::max(kLoadCounted, longest_ * kCountedRoundTrips);
  std::vector<double> rates;
  rates.reserve(to.size());
  const std::int64_t first = loads_;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const LinkLoad load{loads_++, connections};
    ask(from[i], {{"do", "load"}, {"there", to_json(place_of(to[i]))}, {"load", to_json(load)}});
  }
  for (std::size_t i = 0; i < to.size(); ++i) {
    const LinkLoad load{first + static_cast<std::int64_t>(i), connections};
    order(
        to[i],
        {{"do", "count"}, {"load", to_json(load)}, {"warm_ns", warm.ns}, {"time_ns", counted.ns}});
  }
  for (const std::size_t host : to) rates.push_back(await(host, kAnswerLimit).at("bytes_ps"));
  for (const std::size_t host : from) ask(host, {{"do", "stop"}});
  return rates;
}

void Lead::measure_pair(PairFound& pair) {
  const Duration all = round_trip(pair.from, pair.to);
  const Duration own = std::min(Duration{(own_[pair.from].ns + own_[pair.to].ns) / 2}, all);
  pair.round_trip = all - own;
  longest_ = std::max(longest_, all);
  for (std::size_t i = 0; i < kConnections.size(); ++i) {
    pair.bytes_ps[i] = transfer({pair.from}, {pair.to}, kConnections[i]).front();
  }
}

void Lead::measure_compute(ClusterFound& found) {
  tell_(fmt::format("compute of {} hosts, all at once: some minutes", hosts_.size()));
  for (std::size_t host = 0; host < hosts_.size(); ++host) order(host, {{"do", "compute"}});
  for (std::size_t host = 0; host < hosts_.size(); ++host) {
    const nlohmann::json answer = await(host, kComputeLimit);
    found.hosts.push_back({names_[host], processor_of(answer.at("processor")),
                           parse_machine(answer.at("machine"), names_[host])});
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
  tell_("all hosts at once, each to the next");
  std::vector<std::size_t> from;
  std::vector<std::size_t> to;
  for (std::size_t host = 0; host < hosts_.size(); ++host) {
    from.push_back((host + hosts_.size() - 1) % hosts_.size());
    to.push_back(host);
  }
  found.ring = transfer(from, to, kConnections.back());
  measure_compute(found);
  return found;
}

}  // namespace foretrain::exec
