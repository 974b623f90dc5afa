// Connections that a node or its launcher has rejected.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace foretrain::exec {

/// Counts rejected connections, and reports the first few on standard error.
class RejectedConnections {
 public:
  /// `who` rejects: "launcher".
  explicit RejectedConnections(std::string who) : who_(std::move(who)) {}

  /// `peer`: an address. `claimed`: the node that it claims to be, without proof; empty for a
  /// stranger. `why`: a part of a sentence about it.
  void add(const std::string& peer, const std::string& claimed, const std::string& why);
  /// Adds a connection of `node`, known to belong to this run, that will try again; not counted.
  void add_slow(const std::string& node, const std::string& why);
  [[nodiscard]] std::int64_t count() const { return count_; }
  /// Text for the error that a node has not joined: "; 12 strangers were refused". May be empty.
  [[nodiscard]] std::string summary() const;

 private:
  std::string who_;
  std::int64_t count_ = 0;
  std::int64_t strangers_ = 0;
  std::map<std::string, std::string> claimed_;  // by claimed node: the latest reason
  std::map<std::string, std::string> slow_;     // by node: what it did not do in time
};

}  // namespace foretrain::exec
