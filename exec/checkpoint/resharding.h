// Conversion of servers' states to another number of servers.
#pragma once

#include "models/protocol/training.h"

#include <functional>
#include <memory>
#include <string>

namespace foretrain {

/// Builds the state of server `shard` of `training`, in the form that its program reads, from a cut
/// whose parameters lay as in `before`. Each parameter is found by its index among all, with its
/// optimizer state. Values that are not per shard (updates, clocks of workers) are taken over. An
/// update handles each parameter by itself, so it continues with the same bits.
///
/// `state_of`: returns the state of an old server; called once for each that held some of these
/// parameters, for no other.
/// @throws StateError (no state of such a training, or the servers stood at different updates)
std::string gathered_state(const Training& training, int shard,
                           const std::shared_ptr<const Layout>& before,
                           const std::function<std::string(int shard)>& state_of);

}  // namespace foretrain
