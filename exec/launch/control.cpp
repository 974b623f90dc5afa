#include "exec/launch/control.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace foretrain::exec {

void send_text(Connection& connection, ControlKind kind, NodeId from, std::string_view text) {
  FrameHeader header;
  header.kind = static_cast<std::uint16_t>(kind);
  header.from = index_of(from);
  header.payload_bytes = text.size();
  Payload payload = Payload::allocate({static_cast<std::int64_t>(text.size())});
  std::ranges::copy(std::as_bytes(std::span(text)), payload.writable_bytes().begin());
  connection.send(header, std::move(payload));
}

void send_json(Connection& connection, ControlKind kind, NodeId from, const nlohmann::json& json) {
  send_text(connection, kind, from, json.dump());
}

void Refusals::add(const std::string& peer, const std::string& why) {
  constexpr int kNamed = 10;  // a flood of them would hide what matters
  if (++count_ > kNamed) return;
  fmt::print(stderr, "{}: refused {}, which did not prove the job key: {}{}\n", who_, peer, why,
             count_ == kNamed ? "; more are only counted" : "");
}

std::string_view text_of(const Payload& payload) {
  const auto bytes = payload.bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

nlohmann::json json_of(const Payload& payload) { return nlohmann::json::parse(text_of(payload)); }

}  // namespace foretrain::exec
