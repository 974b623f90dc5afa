// Feeds the end of an encrypted conversation that accepts, before anybody has shown a certificate.
#include "exec/transport/tls_stream.h"
#include "models/base/check.h"
#include "tests/fuzz/fuzz.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <span>

using namespace foretrain;
using namespace foretrain::exec;

/// Nobody is agreed with, nothing is opened, whatever comes in whatever portions.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto tls = Tls::of_key(JobKey("0123456789abcdef"));
  TlsStream stream(tls, End::accepting);
  auto rest = std::as_bytes(fuzz::bytes_of(data, size));
  std::array<std::byte, 1'000> opened{};
  while (!rest.empty()) {
    const std::size_t portion = std::min<std::size_t>(rest.size(), 1 + 7 * rest.size() % 300);
    std::ranges::copy(rest.first(portion), stream.room().begin());
    stream.take(portion);
    rest = rest.subspan(portion);
    FT_CHECK_OP(stream.open(opened), ==, std::size_t{0});
    stream.sent(stream.sealed().size());
  }
  static_cast<void>(is_tls_greeting(std::as_bytes(fuzz::bytes_of(data, size))));
  FT_CHECK(!stream.agreed());
  return 0;
}
