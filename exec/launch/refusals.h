// Those whom a node or its launcher has refused.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace foretrain::exec {

/// Keeps count of them, names the first few on standard error.
class Refusals {
 public:
  /// `who` refuses: "launcher".
  explicit Refusals(std::string who) : who_(std::move(who)) {}

  /// `peer`: an address. `claimed`: the node that it said it is, which anybody may say; empty: a
  /// stranger. `why` as a part of a sentence about it.
  void add(const std::string& peer, const std::string& claimed, const std::string& why);
  /// One that is known to be `node` of this run, and comes again: none that was refused.
  void add_slow(const std::string& node, const std::string& why);
  [[nodiscard]] std::int64_t count() const { return count_; }
  /// To be added where a node has not come: "; 12 strangers were refused". May be empty.
  [[nodiscard]] std::string summary() const;

 private:
  std::string who_;
  std::int64_t count_ = 0;
  std::int64_t strangers_ = 0;
  std::map<std::string, std::string> claimed_;  // why who called itself so was refused last
  std::map<std::string, std::string> slow_;     // what it did not do in time
};

}  // namespace foretrain::exec
