// Rank 0's part in measuring a cluster: it says who measures what, when.
#pragma once

#include "exec/calibration/cluster/found.h"
#include "exec/calibration/cluster/link_end.h"
#include "exec/emulation/hosts.h"
#include "exec/launch/control.h"
#include "exec/launch/door.h"
#include "exec/launch/refusals.h"
#include "exec/launch/rendezvous.h"

#include <boost/asio/io_context.hpp>
#include <nlohmann/json.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace foretrain::exec {

/// Two tasks are on one host where they come from one address; the first of them measures, the
/// others wait. All but compute is measured one after another: who waits says nothing.
///
/// Each pair is measured in a cluster of up to kAllPairs hosts, both ways; in a larger one each
/// host sends to those 1, 2, 4, 8, ... places after it. One thread.
class Lead {
 public:
  /// Told what is being measured, for people.
  using Tell = std::function<void(const std::string& what)>;

  /// Listens at `meeting`, for so many tasks. @throws InputError where it cannot
  Lead(const Meeting& meeting, int tasks, Tell tell);
  /// All tasks are told that it has ended.
  ~Lead();

  /// Waits until all have come. @throws std::runtime_error that names those who have not,
  /// InputError where all of them are on one host
  void gather(Duration limit);
  /// @throws std::runtime_error that names the task: it was lost, or could not do what it was told,
  /// or not in time
  ClusterFound measure();
  /// Tasks end well.
  void finish() { outcome_ = Outcome::done; }

 private:
  struct Task {
    std::shared_ptr<Connection> connection{};
    nlohmann::json place{};  // host, address, port
    std::optional<nlohmann::json> answer{};
    std::string trouble{};  // was lost, or gave up
    bool lost = false;
  };

  void on_joined(const std::shared_ptr<Connection>& connection, std::uint32_t rank);
  void on_refused(const std::string& peer, const Refused& refused);
  void on_frame(std::uint32_t rank, const FrameHeader& header, const Payload& payload);
  void find_hosts();
  void order(std::size_t host, const nlohmann::json& order);
  nlohmann::json await(std::size_t host, Duration limit);
  nlohmann::json ask(std::size_t host, const nlohmann::json& order);
  /// Handles what comes until `done`, at most so long; returns whether it is.
  bool wait(const std::function<bool()>& done, Duration limit);
  void throw_trouble();
  [[nodiscard]] LinkPlace place_of(std::size_t host) const;
  [[nodiscard]] std::string described(std::size_t rank) const;
  Duration round_trip(std::size_t from, std::size_t to);
  void measure_pair(PairFound& pair);
  /// What each of `to` receives a second while its host of `from` sends.
  std::vector<double> transfer(const std::vector<std::size_t>& from,
                               const std::vector<std::size_t>& to, int connections);
  void measure_compute(ClusterFound& found);

  Tell tell_;
  boost::asio::io_context loop_{1};
  Hosts here_{{}, false};
  Door door_;
  Refusals refusals_{"rank 0"};
  std::string failure_;  // a task that can be none of ours
  Outcome outcome_ = Outcome::failed;
  std::vector<Task> tasks_;         // by rank
  std::vector<std::size_t> hosts_;  // the rank that measures each
  std::vector<std::string> names_;  // of hosts
  std::vector<Duration> own_;       // of a round trip within a host: what programs take for it
  Duration longest_;                // round trip
  std::int64_t loads_ = 0;
};

inline constexpr std::size_t kAllPairs = 8;

/// Who sends to whom, in turn, among so many hosts.
std::vector<PairFound> pairs_among(std::size_t hosts);

}  // namespace foretrain::exec
