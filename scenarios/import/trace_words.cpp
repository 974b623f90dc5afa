#include "scenarios/import/trace_words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace foretrain {
namespace {

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

std::string plain(std::string_view name) {
  std::string lower;
  lower.reserve(name.size());
  for (const char c : name) {
    if (c != '_') lower.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
  }
  return lower;
}

// Kineto's current names, which vendors extend; those of 2021 are capitalized.
std::optional<TraceKind> kind_of(std::string_view category) {
  const std::string name = plain(category);
  if (name == "cpuop" || name == "userannotation" || name == "operator") return TraceKind::op;
  if (name.ends_with("runtime") || name.ends_with("driver") || name == "hpuop") {
    return TraceKind::launch;
  }
  for (const std::string_view work : {"kernel", "memcpy", "memset", "mtiaccpevents"}) {
    if (name.ends_with(work)) return TraceKind::device;
  }
  return std::nullopt;
}

TraceCollective collective_called(std::string_view name) {
  const std::string lower = plain(name);
  if (has(lower, "allreduce")) return TraceCollective::all_reduce;
  if (has(lower, "reducescatter")) return TraceCollective::reduce_scatter;
  return TraceCollective::other;
}

// A short name that ends in `ccl`, not followed by a lower-case letter.
bool is_collective_kernel(std::string_view kernel) {
  constexpr std::size_t kLongest = 3;  // oneccl
  const std::size_t place = kernel.find("ccl");
  if (place == 0 || place > kLongest) return false;
  const std::string_view behind = kernel.substr(place + 3);
  return behind.empty() || std::islower(static_cast<unsigned char>(behind.front())) == 0;
}

bool is_collective_op(std::string_view op) {
  return op.starts_with("c10d::") || op == "record_param_comms" ||
         (is_collective_kernel(op) && op.find(':') != std::string_view::npos);
}

bool is_graph_launch(std::string_view launch) {
  const std::string lower = plain(launch);
  return has(lower, "graph") &&
         (has(lower, "launch") || has(lower, "replay") || has(lower, "enqueue"));
}

int rank_in(std::string_view text) {
  const std::string lower = plain(text);
  const std::size_t word = lower.find("rank");
  if (word == std::string::npos) return -1;
  const std::size_t digit = lower.find_first_of("0123456789", word);
  if (digit == std::string::npos || digit > word + 6) return -1;
  int number = -1;
  std::from_chars(lower.data() + digit, lower.data() + lower.size(), number);
  return number;
}

}  // namespace foretrain
