#include "sim/memory/resident.h"

#include "models/base/check.h"
#include "models/protocol/buffered.h"

namespace foretrain::sim {

ResidentMemory::ResidentMemory(const Training& training, const DataMemory& data,
                               const std::vector<Bytes>& bases) {
  FT_CHECK_OP(bases.size(), ==, static_cast<std::size_t>(training.nodes()));
  nodes_.reserve(bases.size());
  for (std::size_t i = 0; i < bases.size(); ++i) {
    nodes_.push_back(
        {bases[i], node_memory(training, data, NodeId(static_cast<std::uint32_t>(i))), false});
  }
}

Bytes ResidentMemory::of(NodeId id, const Node& program) const {
  const Process& process = nodes_[index_of(id)];
  const auto* holder = dynamic_cast<const Buffering*>(&program);
  const Bytes held = holder != nullptr ? holder->peak_buffered() : Bytes{};
  return process.base + process.memory.resident(process.has_evaluated, held);
}

}  // namespace foretrain::sim
