#include "sim/memory/resident.h"

#include "models/base/check.h"
#include "models/protocol/buffered.h"

namespace foretrain::sim {

ResidentMemory::ResidentMemory(const Training& training, const DataMemory& data,
                               const std::vector<OfHost>& hosts) {
  FT_CHECK_OP(hosts.size(), <=, static_cast<std::size_t>(training.nodes()));
  nodes_.reserve(hosts.size());
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const NodeId id{static_cast<std::uint32_t>(i)};
    nodes_.push_back({hosts[i].base, node_memory(training, data, id, hosts[i].simd), false});
  }
}

Bytes ResidentMemory::of(NodeId id, const Node& program) const {
  const Process& process = nodes_[index_of(id)];
  const auto* holder = dynamic_cast<const Buffering*>(&program);
  const Bytes held = holder != nullptr ? holder->peak_buffered() : Bytes{};
  return process.base + process.memory.resident(process.has_evaluated, held);
}

}  // namespace foretrain::sim
