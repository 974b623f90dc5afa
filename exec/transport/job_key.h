// The secret by which the processes of one run know each other.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace foretrain::exec {

/// 32 bytes that nobody can foresee.
using Nonce = std::array<std::byte, 32>;
/// An HMAC-SHA256.
using Proof = std::array<std::byte, 32>;

/// @throws std::system_error where the kernel has none
Nonce draw_nonce();

/// The two ends of a connection: node ids, or kLauncher.
struct Ends {
  std::uint32_t connecting = 0;
  std::uint32_t accepting = 0;
};
inline constexpr std::uint32_t kLauncher = 0xffffffff;

/// Whose turn it is to prove: a proof of one end is none of the other.
enum class End : std::uint8_t { connecting, accepting };

/// A secret text. It never travels: others see the answers to their challenges alone. It keeps
/// strangers out; without TLS (tls.h) the traffic after it is neither secret nor signed, so whoever
/// sits on the wire between two hosts has to be trusted.
class JobKey {
 public:
  /// No key: proves nothing, so it is for loopback alone.
  JobKey() = default;
  explicit JobKey(std::string secret) : secret_(std::move(secret)) {}
  /// A fresh one that nobody else knows.
  static JobKey random();

  [[nodiscard]] bool empty() const { return secret_.empty(); }
  [[nodiscard]] const std::string& secret() const { return secret_; }

  /// What `end` answers to the nonces of both ends.
  [[nodiscard]] Proof prove(End end, Ends ends, const Nonce& connecting,
                            const Nonce& accepting) const;
  /// In a time that does not tell how much of it is right.
  [[nodiscard]] static bool equal(const Proof& a, std::span<const std::byte> b);

 private:
  std::string secret_;
};

}  // namespace foretrain::exec
