#include "exec/launch/rejected_connections.h"

#include "reports/record/stderr_note.h"

#include <fmt/format.h>

namespace foretrain::exec {

void RejectedConnections::add(const std::string& peer, const std::string& claimed,
                              const std::string& why) {
  constexpr int kNamed = 10;  // a flood of them would hide important messages
  constexpr std::size_t kMostClaims = 100;
  if (claimed.empty()) {
    ++strangers_;
  } else if (claimed_.contains(claimed) || claimed_.size() < kMostClaims) {
    claimed_[claimed] = why;
  }
  if (++count_ > kNamed) return;
  stderr_note(fmt::format("{}: refused {}, {}: {}{}\n", who_, peer,
                          claimed.empty() ? "a stranger" : "which called itself " + claimed, why,
                          count_ == kNamed ? "; more are only counted" : ""));
}

void RejectedConnections::add_slow(const std::string& node, const std::string& why) {
  slow_[node] = why;
  stderr_note(fmt::format("{}: {} is slow: {}; it tries again\n", who_, node, why));
}

std::string RejectedConnections::summary() const {
  std::string text;
  for (const auto& [node, why] : slow_) text += fmt::format("; {} was slow: {}", node, why);
  for (const auto& [claimed, why] : claimed_) {
    text += fmt::format("; a connection that called itself {} was refused: {}", claimed, why);
  }
  if (strangers_ == 0) return text;
  return text + fmt::format("; {} stranger{} {} refused", strangers_, strangers_ == 1 ? "" : "s",
                            strangers_ == 1 ? "was" : "were");
}

}  // namespace foretrain::exec
