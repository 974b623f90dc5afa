// Faults of links in virtual time: for a while they carry nothing, or less.
#pragma once

#include "models/protocol/training.h"
#include "scenarios/resolve/faults.h"
#include "scenarios/resolve/placement.h"
#include "sim/network/fabric.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace foretrain::sim {

/// Cut and slow links of a training. A connection survives a cut that is shorter than the failure
/// detector's timeout (`silence_of`). After a longer one both ends learn that it is broken, as
/// TCP's user timeout tells the nodes of a run (exec/emulation/emulated_link_faults.h). This
/// includes a cut in one direction only, which stops acknowledgements.
///
/// Realism: a real connection with nothing to send detects the cut by its probes, up to a second
/// later. If it is cut in one direction, it carries what its window holds in the other; here it
/// carries all.
class LinkFaults : public Actor {
 public:
  /// Called when `node` has lost its connection to `peer`.
  using Lost = std::function<void(NodeId node, NodeId peer)>;

  /// `places`: by node. `fabric`: null if there are no links.
  LinkFaults(Engine& engine, const Scenario& scenario, std::shared_ptr<const Training> training,
             const std::vector<NodePlace>& places, Fabric* fabric, Lost lost);

  /// The training's time begins now.
  void start();
  void wake(Instant now, std::uint64_t token) override;

 private:
  using Hosts = std::pair<std::size_t, std::size_t>;
  enum class What : std::uint8_t { begin, end, silence };
  struct Cut {
    int faults = 0;  // faults that have not ended
    Instant since{};
  };

  void schedule(std::size_t fault, What what, Instant at);
  [[nodiscard]] std::size_t host_of(const std::string& node) const;
  /// The lower host number first.
  [[nodiscard]] Hosts hosts_of(const FaultSpec& fault) const;
  /// The directions (from host, to host) in which nothing moves.
  [[nodiscard]] std::vector<Hosts> ways_of(const FaultSpec& fault) const;
  void begin(std::size_t index, Instant now);
  void end(std::size_t index);
  void pace(std::size_t host);
  void part(Hosts hosts);

  Engine& engine_;
  const Scenario& scenario_;
  std::shared_ptr<const Training> training_;
  const std::vector<NodePlace>& places_;
  Fabric* fabric_;
  Lost lost_;
  std::map<Hosts, Cut> cuts_;
  std::map<std::size_t, std::vector<std::size_t>> slow_;  // active faults by host
};

}  // namespace foretrain::sim
