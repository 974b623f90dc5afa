// What one device of a host was measured to train, network by network.
#pragma once

#include "models/base/time.h"

#include <optional>
#include <string>
#include <vector>

namespace foretrain {

/// `cluster.hosts[].measured[]` - a row: a device alone, its host doing nothing else.
struct MeasuredNetwork {
  std::string network;        ///< the name that model.profile_network has, too
  int batch_size = 1;         ///< examples a gradient
  double examples_per_s = 0;  ///< that it trains, above 0

  bool operator==(const MeasuredNetwork&) const = default;
};

/// What a gradient of `batch_size` examples takes by the rows of `network`, which may stand in any
/// order: batch size over examples a second, between two rows and beyond them as `interpolated`
/// (machine.h). Nothing: there is no such row.
///
/// Realism: that of the measurement, which has the program's launches, input and updates in it;
/// another program on the same chip is 10 % off, and more.
std::optional<Duration> measured_gradient(const std::vector<MeasuredNetwork>& measured,
                                          const std::string& network, int batch_size);

/// Takes the rows of other networks away; all of them where `network` is empty.
void keep_network(std::vector<MeasuredNetwork>& measured, const std::string& network);

/// The rows of `network` for people: `resnet50, 195 examples/s at a batch of 32, 219 at 64`; empty:
/// there are none.
std::string measured_text(const std::vector<MeasuredNetwork>& measured, const std::string& network);

/// The networks that there are rows of, each once, by their names.
std::vector<std::string> networks_in(const std::vector<MeasuredNetwork>& measured);

}  // namespace foretrain
