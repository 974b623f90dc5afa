// The scenario's faults on links of emulated hosts.
#pragma once

#include "exec/emulation/hosts.h"
#include "scenarios/spec/scenario.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace foretrain::exec {

/// The cut and slow links of a run in real time (the counterpart in virtual time is
/// sim/faults/link_faults.h). A connection survives a cut: TCP retransmits when its timer expires,
/// up to as long after the cut as that lasted; unless the failure detector ends it before
/// (transport's user timeout). On the thread of the io_context.
class LinkFaults {
 public:
  /// `hosts`: by node, from `placed_nodes`. `begins`: by the training's clock; earlier events are
  /// skipped. `failed`: called with the reason if a system program fails.
  LinkFaults(boost::asio::io_context& loop, const Scenario& scenario,
             std::vector<std::size_t> hosts, Hosts& network, Instant begins,
             std::function<void(const std::string& why)> failed);

  /// The training begins or resumes. Does nothing if no fault concerns a link.
  void start();
  /// Cancels further faults and restores the links.
  void end();

 private:
  struct Event {
    Duration at;  ///< by the training's clock
    std::size_t fault = 0;
    bool begins = false;
  };

  void wait();
  void act(const Event& event);
  void heal();
  void pace(std::size_t host);
  [[nodiscard]] std::size_t host_of(const std::string& node) const;

  const Scenario& scenario_;
  std::vector<std::size_t> hosts_;
  Hosts& network_;
  Instant begins_;
  std::function<void(const std::string&)> failed_;
  std::vector<Event> events_;                                // future events, the last one first
  std::map<std::pair<std::size_t, std::size_t>, int> cuts_;  // from, to: active faults
  std::map<std::size_t, std::vector<double>> shares_;        // by host: active slowdowns
  std::chrono::steady_clock::time_point start_;
  boost::asio::steady_timer timer_;
};

}  // namespace foretrain::exec
