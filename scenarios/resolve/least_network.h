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
/// In lockstep each worker's gradient has to reach the servers. Otherwise the bound assumes that
/// workers on servers' hosts make all gradients, and send only the shards of other servers. The
/// second is what the fastest all-reduce moves (Patarasuk and Yuan, Bandwidth Optimal All-reduce
/// Algorithms, JPDC 69, 2009). 0 if nothing is known: gradients that travel packed, are dropped or
/// not sent in every step, links and bursts instead of a NIC's rate, no cluster. Gradients are
/// dense.
double least_network_s(const Scenario& scenario, Bytes gradient);

}  // namespace foretrain
