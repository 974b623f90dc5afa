#include "sim/cpu/recorded_times.h"

#include <algorithm>

namespace foretrain::sim {

RecordedTimes::RecordedTimes(std::span<const InputRow> inputs, NodeId node) {
  for (const InputRow& row : inputs) {
    if (row.kind != InputRow::Kind::computed || row.node != index_of(node)) continue;
    jobs_[row.id].times.push_back(row.took);
  }
  for (auto& [id, sequence] : jobs_) {
    std::vector<Duration> known = sequence.times;
    std::erase(known, Duration{});
    if (known.empty()) continue;
    const auto middle = known.begin() + std::ssize(known) / 2;
    std::ranges::nth_element(known, middle);
    sequence.median = *middle;
    std::ranges::replace(sequence.times, Duration{}, sequence.median);
  }
  std::erase_if(jobs_, [](const auto& job) { return job.second.median == Duration{}; });
}

std::optional<Duration> RecordedTimes::begin(const Job& job) {
  const auto found = jobs_.find(static_cast<std::uint64_t>(job.id));
  if (found == jobs_.end()) return std::nullopt;
  Sequence& sequence = found->second;
  if (sequence.begun == sequence.times.size()) return sequence.median;
  return sequence.times[sequence.begun++];
}

}  // namespace foretrain::sim
