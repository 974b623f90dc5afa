// Two simulations of one case, compared file by file.
#include "reports/studies/determinism/determinism.h"

#include "reports/record/files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <future>
#include <memory>
#include <string_view>
#include <vector>

namespace foretrain {
namespace {

/// Takes the next line, without its line feed, off `text`.
std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

std::string difference_of(std::string_view name, std::string_view first, std::string_view second) {
  for (int number = 1; !first.empty() || !second.empty(); ++number) {
    const bool ends = first.empty() || second.empty();
    const std::string_view a = take_line(first);
    const std::string_view b = take_line(second);
    if (a != b || ends) return fmt::format("{}:{}: first `{}`, then `{}`", name, number, a, b);
  }
  return fmt::format("{}: the ends of its last lines differ", name);
}

/// Blocks of many sizes of which every other is free again.
class Holes {
 public:
  Holes() {
    for (std::size_t i = 0; i < kBlocks; ++i) {
      blocks_.push_back(std::make_unique<std::byte[]>(16 + i * 2'654'435'761U % 8'192));
    }
    for (std::size_t i = 0; i < kBlocks; i += 2) blocks_[i].reset();
  }

 private:
  static constexpr std::size_t kBlocks = 2'048;
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
};

}  // namespace

Replayed compare_weights(const Record& recorded, const Record& replayed) {
  if (replayed.weights_sha256 == recorded.weights_sha256) {
    return {true, "weights equal the recorded ones bit for bit"};
  }
  if (replayed.kernel_set == recorded.kernel_set) {
    return {false, "weights DIFFER from the recorded ones"};
  }
  return {true, "weights of another kernel set: not comparable"};
}

std::string first_difference(const Record& first, const Record& second) {
  const auto a = record_files(first);
  const auto b = record_files(second);
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (a[i].first != b[i].first) break;
    if (a[i].second != b[i].second) return difference_of(a[i].first, a[i].second, b[i].second);
  }
  return a.size() == b.size() ? "" : "one of the two has inputs.bin, the other has not";
}

Twins simulate_twice(const Case& scenario_case,
                     const std::function<Record(const Case&)>& simulate) {
  Twins twins{simulate(scenario_case), {}};
  if (twins.record.outcome == Outcome::interrupted) return twins;
  const Record second = std::async(std::launch::async, [&] {
                          const Holes holes;
                          return simulate(scenario_case);
                        }).get();
  if (second.outcome == Outcome::interrupted) {
    twins.record.outcome = Outcome::interrupted;
    twins.record.failure = second.failure;
    return twins;
  }
  twins.difference = first_difference(twins.record, second);
  return twins;
}

std::string verdict(const Twins& twins) {
  const std::string title = title_of(twins.record.scenario_case);
  if (twins.record.outcome == Outcome::interrupted) return title + ": interrupted, not compared";
  if (twins.difference.empty()) return title + ": two simulations wrote the same bytes";
  return fmt::format("{}: two simulations DIFFER at {}", title, twins.difference);
}

}  // namespace foretrain
