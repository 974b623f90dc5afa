#include "models/protocol/registry.h"

#include "models/base/check.h"
#include "models/protocol/all_reduce.h"
#include "models/protocol/async.h"
#include "models/protocol/gather_scatter.h"
#include "models/protocol/local_sgd.h"
#include "models/protocol/single.h"
#include "models/protocol/ssp.h"
#include "models/protocol/sync.h"

#include <algorithm>

namespace foretrain {

const std::vector<Protocol>& protocols() {
  static const std::vector<Protocol> all{
      single_protocol(),      //
      sync_protocol(),        //
      async_protocol(),       //
      ssp_protocol(),         //
      all_reduce_protocol(),  //
      local_sgd_protocol(),   //
      gather_scatter_protocol(),
  };
  return all;
}

const Protocol* find_protocol(std::string_view name) {
  const auto found = std::ranges::find(protocols(), name, &Protocol::name);
  return found == protocols().end() ? nullptr : &*found;
}

const Protocol& protocol_called(std::string_view name) {
  const Protocol* protocol = find_protocol(name);
  FT_CHECK(protocol != nullptr);
  return *protocol;
}

const Protocol& protocol_alone() {
  return *std::ranges::find(protocols(), false, &Protocol::several_workers);
}

const std::vector<const Option*>& protocol_options() {
  static const std::vector<const Option*> all = [] {
    std::vector<const Option*> options;
    for (const Protocol& protocol : protocols()) {
      for (const Option* option : protocol.options) {
        if (std::ranges::find(options, option) == options.end()) options.push_back(option);
      }
    }
    return options;
  }();
  return all;
}

bool reads(const Protocol& protocol, const Option& option) {
  return std::ranges::find(protocol.options, &option) != protocol.options.end();
}

bool may_lose(const Training& training, NodeId id, int lost) {
  const Protocol& protocol = *training.protocol;
  return training.is_worker(id) && id != training.worker(0) &&
         lost < protocol.most_lost(training.options, training.workers);
}

bool may_come_back(const Training& training, NodeId id) {
  return training.protocol->takes_back(training.options) && may_lose(training, id, 0);
}

bool begins_again(const Training& training, NodeId id, int lost) {
  return training.begins_again() && !may_lose(training, id, lost);
}

std::vector<NodeId> peers_of(const Training& training, NodeId id) {
  const Protocol& protocol = *training.protocol;
  std::vector<NodeId> peers;
  if (protocol.linked == nullptr) return peers;
  for (int other = 0; other < training.nodes(); ++other) {
    const auto peer = NodeId(other);
    if (peer != id && protocol.linked(training, id, peer)) peers.push_back(peer);
  }
  return peers;
}

std::unique_ptr<Node> make_node(const std::shared_ptr<const Training>& training, NodeId id) {
  return training->protocol->make_node(training, id);
}

}  // namespace foretrain
