#include "models/protocol/registry.h"

#include "models/base/check.h"
#include "models/protocol/async.h"
#include "models/protocol/single.h"
#include "models/protocol/ssp.h"
#include "models/protocol/sync.h"

#include <algorithm>

namespace foretrain {

namespace {

bool always(const ProtocolOptions& /*options*/) { return true; }
bool never(const ProtocolOptions& /*options*/) { return false; }
bool in_lockstep(const ProtocolOptions& options) { return options.staleness == 0; }

}  // namespace

const std::vector<Protocol>& protocols() {
  // Name, several workers, servers, an update each gradient, keys, deterministic, program.
  static const std::vector<Protocol> all{
      {"single", false, false, false, "", always, make_single_node},
      {"sync", true, true, false, "", always, make_sync_node},
      {"async", true, true, true, "quota", never, make_async_node},
      {"ssp", true, true, true, "staleness quota", in_lockstep, make_ssp_node},
  };
  return all;
}

bool reads(const Protocol& protocol, std::string_view key) {
  const std::string_view keys = protocol.keys;
  for (std::size_t at = 0; at < keys.size();) {
    const std::size_t end = std::min(keys.find(' ', at), keys.size());
    if (keys.substr(at, end - at) == key) return true;
    at = end + 1;
  }
  return false;
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
