// A network that is counted: its layers' work with the times that devices take for it.
#pragma once

#include "models/graph/device_memory.h"
#include "models/networks/network_spec.h"
#include "models/shapes/device_time.h"
#include "models/shapes/layer_work.h"
#include "scenarios/spec/scenario.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace foretrain {

/// The work of one batch of one worker.
struct CountedNetwork {
  std::vector<LayerWork> layers;
  std::string precision;
  std::int64_t tokens = 0;  ///< of a batch; 0: images
  int number_bytes = 2;     ///< of a parameter in messages
  Recompute recompute = Recompute::none;
  double forward_flops = 0;  ///< of a batch; half of the scores count if attention is causal

  [[nodiscard]] std::int64_t parameters() const;
  /// Operations of a batch's gradient, without what is recomputed: three forward passes.
  [[nodiscard]] double model_flops() const { return 3 * forward_flops; }
  /// Seconds of a batch's gradient.
  [[nodiscard]] double gradient_s(const DeviceRates& rates) const;
  /// Activations at the end of the forward pass, with the block that is recomputed first.
  [[nodiscard]] Bytes activations() const;
};

/// The inputs of its devices' memory and updates.
DeviceNeeds device_needs(const CountedNetwork& network, const Scenario& scenario);

/// Counts the case's network; null if it is not counted. @throws InputError at the scenario's key:
/// a network, a config or a table that cannot be read, a host without figures for the precision
std::shared_ptr<const CountedNetwork> count_network(const Case& scenario_case);

/// The rates that the devices of `host` reach in this precision. A host without figures for it has
/// nominal ones, of which only the ratios count: its `compute:` gives the time.
DeviceRates rates_of(const HostSpec& host, const std::string& precision);

/// The hosts that have workers, in the order of their first.
std::vector<const HostSpec*> computing_hosts(const Scenario& scenario);

/// The peak of a device, FLOP/s; 0: not known.
double peak_of(const HostSpec& host, const std::string& precision);

/// The layers with their times on the first host's device. Parameters are counted in numbers of 4
/// bytes, as messages are. Other hosts scale the times (gradient_s).
NetworkProfile timed_profile(const CountedNetwork& network, const Scenario& scenario);

}  // namespace foretrain
