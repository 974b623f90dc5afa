// What happens to the links of emulated hosts, as faults of the scenario say.
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

/// The cut and the slow links of a run in real time (sim/faults/link_faults.h is their twin in
/// virtual time). A connection outlives a cut: TCP sends again when its timer is out, up to as long
/// after the cut as that lasted; unless silence ends it before (transport's user timeout). On the
/// thread of the io_context.
class LinkFaults {
 public:
  /// `hosts`, by node, of `seats_of`. `begins`: by the training's clock; what was to happen before
  /// then has happened. `failed`: a program of the system could not do it, and says why.
  LinkFaults(boost::asio::io_context& loop, const Scenario& scenario,
             std::vector<std::size_t> hosts, Hosts& network, Instant begins,
             std::function<void(const std::string& why)> failed);

  /// The training begins, or goes on. Nothing happens where no fault touches a link.
  void start();
  /// Nothing begins any more; links are whole again.
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
  std::vector<Event> events_;                                // to come, the last one first
  std::map<std::pair<std::size_t, std::size_t>, int> cuts_;  // from, to: faults under way
  std::map<std::size_t, std::vector<double>> shares_;        // by host: what slow ones leave
  std::chrono::steady_clock::time_point start_;
  boost::asio::steady_timer timer_;
};

}  // namespace foretrain::exec
