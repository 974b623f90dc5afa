// What happens to links, in virtual time: they carry nothing for a while, or less.
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

/// The cut and the slow links of a training. A connection outlives a cut, unless that is as long as
/// silence is borne (`silence_of`): then both ends hear that it is gone, as TCP's user timeout
/// tells the nodes of a run (exec/emulation/link_faults.h); one that is cut in one direction alone,
/// too, where nothing is acknowledged any more.
///
/// Realism: a real connection with nothing to send finds out by its probes, up to a second later.
/// Cut in one direction it carries in the other what its window holds; here, all.
class LinkFaults : public Actor {
 public:
  /// `node` has lost the connection to `peer`.
  using Lost = std::function<void(NodeId node, NodeId peer)>;

  /// `places`: by node; `fabric` null where there are no links.
  LinkFaults(Engine& engine, const Scenario& scenario, std::shared_ptr<const Training> training,
             const std::vector<NodePlace>& places, Fabric* fabric, Lost lost);

  /// The training's time begins now.
  void start();
  void wake(Instant now, std::uint64_t token) override;

 private:
  using Hosts = std::pair<std::size_t, std::size_t>;
  enum class What : std::uint8_t { begin, end, silence };
  struct Cut {
    int faults = 0;  // that have not ended
    Instant since{};
  };

  void schedule(std::size_t fault, What what, Instant at);
  [[nodiscard]] std::size_t host_of(const std::string& node) const;
  /// The lower one first.
  [[nodiscard]] Hosts hosts_of(const FaultSpec& fault) const;
  /// From which host to which nothing moves.
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
  std::map<std::size_t, std::vector<std::size_t>> slow_;  // by host: faults under way
};

}  // namespace foretrain::sim
