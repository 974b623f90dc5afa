#include "models/protocol/registry.h"

#include "models/base/check.h"
#include "models/protocol/all_reduce.h"
#include "models/protocol/async.h"
#include "models/protocol/route.h"
#include "models/protocol/single.h"
#include "models/protocol/ssp.h"
#include "models/protocol/sync.h"

#include <algorithm>

namespace foretrain {

namespace {

bool always(const ProtocolOptions& /*options*/) { return true; }
bool never(const ProtocolOptions& /*options*/) { return false; }
bool nobody(const Training& /*training*/, NodeId /*a*/, NodeId /*b*/) { return false; }
bool worker_and_server(const Training& training, NodeId a, NodeId b) {
  return training.is_worker(a) != training.is_worker(b);
}
// With backup workers shard 0 tells the other shards what it has chosen.
bool linked_in_sync(const Training& training, NodeId a, NodeId b) {
  const bool shards = !training.is_worker(a) && !training.is_worker(b);
  const bool first = a == training.server(0) || b == training.server(0);
  return shards ? training.options.backup_workers > 0 && first : worker_and_server(training, a, b);
}
int none(const ProtocolOptions& /*options*/, int /*workers*/) { return 0; }
int all_but_one(const ProtocolOptions& /*options*/, int workers) { return workers - 1; }
int backups(const ProtocolOptions& options, int /*workers*/) { return options.backup_workers; }
bool without_backups(const ProtocolOptions& options) { return options.backup_workers == 0; }
bool in_lockstep(const ProtocolOptions& options) { return options.staleness == 0; }

}  // namespace

const std::vector<Protocol>& protocols() {
  static const std::vector<Protocol> all{
      {.name = "single",
       .several_workers = false,
       .servers = false,
       .dense = false,
       .update_each = false,
       .keys = "",
       .deterministic = always,
       .most_lost = none,
       .linked = nobody,
       .make_node = make_single_node},
      {.name = "sync",
       .several_workers = true,
       .servers = true,
       .dense = false,
       .update_each = false,
       .keys = "backup_workers",
       .deterministic = without_backups,
       .most_lost = backups,
       .linked = linked_in_sync,
       .make_node = make_sync_node},
      {.name = "async",
       .several_workers = true,
       .servers = true,
       .dense = false,
       .update_each = true,
       .keys = "quota",
       .deterministic = never,
       .most_lost = all_but_one,
       .linked = worker_and_server,
       .make_node = make_async_node},
      {.name = "ssp",
       .several_workers = true,
       .servers = true,
       .dense = false,
       .update_each = true,
       .keys = "staleness quota",
       .deterministic = in_lockstep,
       .most_lost = all_but_one,
       .linked = worker_and_server,
       .make_node = make_ssp_node},
      {.name = "all_reduce",
       .several_workers = true,
       .servers = false,
       .dense = true,
       .update_each = false,
       .keys = "",
       .deterministic = always,
       .most_lost = none,
       .linked = linked_in_all_reduce,
       .make_node = make_all_reduce_node},
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

bool may_lose(const Training& training, NodeId id, int lost) {
  const Protocol* protocol = find_protocol(training.strategy);
  FT_CHECK(protocol != nullptr);
  return training.is_worker(id) && id != training.worker(0) &&
         lost < protocol->most_lost(training.options, training.workers);
}

std::vector<NodeId> peers_of(const Training& training, NodeId id) {
  const Protocol* protocol = find_protocol(training.strategy);
  FT_CHECK(protocol != nullptr);
  std::vector<NodeId> peers;
  for (int other = 0; other < training.nodes(); ++other) {
    const auto peer = NodeId(other);
    if (peer != id && protocol->linked(training, id, peer)) peers.push_back(peer);
  }
  return peers;
}

std::unique_ptr<Node> make_node(const std::shared_ptr<const Training>& training, NodeId id) {
  const Protocol* protocol = find_protocol(training->strategy);
  FT_CHECK(protocol != nullptr);
  return protocol->make_node(training, id);
}

}  // namespace foretrain
