#include "exec/transport/job_key.h"

#include "models/base/check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <sys/random.h>

#include <cerrno>
#include <system_error>
#include <vector>

namespace foretrain::exec {
namespace {

// Prefixes that distinguish these proofs from those of another program or version.
constexpr std::string_view kConnecting = "foretrain job key 1, connecting end";
constexpr std::string_view kAccepting = "foretrain job key 1, accepting end";

void append(std::vector<unsigned char>& text, std::span<const std::byte> bytes) {
  const auto* begin = reinterpret_cast<const unsigned char*>(bytes.data());
  text.insert(text.end(), begin, begin + bytes.size());
}

}  // namespace

Nonce draw_nonce() {
  Nonce nonce{};
  if (getrandom(nonce.data(), nonce.size(), 0) != static_cast<ssize_t>(nonce.size())) {
    throw std::system_error(errno, std::generic_category(), "getrandom");
  }
  return nonce;
}

JobKey JobKey::random() {
  const Nonce secret = draw_nonce();
  std::string text;
  for (const std::byte each : secret) text += fmt::format("{:02x}", static_cast<unsigned>(each));
  return JobKey(text);
}

Proof JobKey::prove(End end, Ends ends, const Nonce& connecting, const Nonce& accepting) const {
  std::vector<unsigned char> text;
  append(text, std::as_bytes(std::span(end == End::connecting ? kConnecting : kAccepting)));
  append(text, std::as_bytes(std::span(&ends.connecting, 1)));
  append(text, std::as_bytes(std::span(&ends.accepting, 1)));
  append(text, connecting);
  append(text, accepting);
  Proof proof{};
  unsigned int size = 0;
  const unsigned char* done =
      HMAC(EVP_sha256(), secret_.data(), static_cast<int>(secret_.size()), text.data(), text.size(),
           reinterpret_cast<unsigned char*>(proof.data()), &size);
  FT_CHECK(done != nullptr);
  FT_CHECK_OP(size, ==, proof.size());
  return proof;
}

bool JobKey::equal(const Proof& a, std::span<const std::byte> b) {
  return b.size() == a.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace foretrain::exec
