#include "models/protocol/registry.h"

#include "models/base/check.h"
#include "models/protocol/async.h"
#include "models/protocol/single.h"
#include "models/protocol/sync.h"

#include <algorithm>

namespace foretrain {

const std::vector<Protocol>& protocols() {
  static const std::vector<Protocol> all{
      {"single", false, true, make_single_node},
      {"sync", true, true, make_sync_node},
      {"async", true, false, make_async_node},
  };
  return all;
}

const Protocol* find_protocol(std::string_view name) {
  const auto found = std::ranges::find(protocols(), name, &Protocol::name);
  return found == protocols().end() ? nullptr : &*found;
}

std::unique_ptr<Node> make_node(const std::shared_ptr<const Training>& training, NodeId id) {
  const Protocol* protocol = find_protocol(training->strategy);
  FT_CHECK(protocol != nullptr);
  return protocol->make_node(training, id);
}

}  // namespace foretrain
