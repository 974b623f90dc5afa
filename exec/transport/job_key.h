// The secret by which the processes of a run authenticate each other.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace foretrain::exec {

/// 32 unpredictable bytes.
using Nonce = std::array<std::byte, 32>;
/// An HMAC-SHA256.
using Proof = std::array<std::byte, 32>;

/// @throws std::system_error if the kernel provides no random bytes
Nonce draw_nonce();

/// The two ends of a connection: node ids, or kLauncher.
struct Ends {
  std::uint32_t connecting = 0;
  std::uint32_t accepting = 0;
};
inline constexpr std::uint32_t kLauncher = 0xffffffff;

/// The end that proves: a proof of one end is not valid for the other.
enum class End : std::uint8_t { connecting, accepting };

/// A secret text. It is never sent: others only see answers to their challenges. It keeps strangers
/// out. Without TLS (tls.h) the traffic after it is neither secret nor signed, so everybody on the
/// network between two hosts must be trusted.
class JobKey {
 public:
  /// No key: proves nothing, so it is for loopback only.
  JobKey() = default;
  explicit JobKey(std::string secret) : secret_(std::move(secret)) {}
  /// Draws a new key.
  static JobKey random();

  [[nodiscard]] bool empty() const { return secret_.empty(); }
  [[nodiscard]] const std::string& secret() const { return secret_; }

  /// The answer of `end` to the nonces of both ends.
  [[nodiscard]] Proof prove(End end, Ends ends, const Nonce& connecting,
                            const Nonce& accepting) const;
  /// Compares in constant time.
  [[nodiscard]] static bool equal(const Proof& a, std::span<const std::byte> b);

 private:
  std::string secret_;
};

}  // namespace foretrain::exec
