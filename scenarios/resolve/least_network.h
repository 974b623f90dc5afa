// A lower bound of the time that messages take.
#pragma once

#include "models/base/quantity.h"
#include "scenarios/spec/scenario.h"

namespace foretrain {

/// The seconds in which NICs move at least what they receive in a step, with a gradient of P bytes:
///
///     servers, or a root    P x (gradients of other hosts) / (rates of the servers' hosts)
///     all-reduce            2 (H - 1) x P / (rates of the H hosts)
///
/// In lockstep each worker's gradient has to reach the servers; else, at the least, workers beside
/// a server make all gradients, of which they send what belongs to other servers. The second is
/// what the fastest all-reduce moves (Patarasuk and Yuan, Bandwidth Optimal All-reduce Algorithms,
/// JPDC 69, 2009). 0 if gradients travel packed, or not in every step, or without a cluster.
double least_network_s(const Scenario& scenario, Bytes gradient);

}  // namespace foretrain
