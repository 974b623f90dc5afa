// The states of servers, cut anew for another number of them.
#pragma once

#include "models/protocol/training.h"

#include <functional>
#include <memory>
#include <string>

namespace foretrain {

/// The state of server `shard` of `training`, as its program reads it, of a cut that was kept when
/// the parameters lay as `before` says: each with what the optimizer keeps of it, found by its
/// index among all. What no shard has alone (updates, clocks of workers) is taken over. So an
/// update, which takes each parameter for itself, goes on with the same bits.
///
/// `state_of`: the state of a server then; asked once for each that held some of these parameters,
/// and for no other. @throws StateError (it is no state of such a training, or servers stood at
/// different updates)
std::string gathered_state(const Training& training, int shard,
                           const std::shared_ptr<const Layout>& before,
                           const std::function<std::string(int shard)>& state_of);

}  // namespace foretrain
