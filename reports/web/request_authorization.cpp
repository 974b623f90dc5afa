#include "reports/web/request_authorization.h"

#include <openssl/crypto.h>

#include <charconv>

namespace foretrain::web {
namespace {

namespace asio = boost::asio;

constexpr std::uint16_t kHttpPort = 80;  // the default if Host has no port

/// The parts of `127.0.0.1:8080`, `[::1]:8080`, `localhost`.
struct HostName {
  std::string name;  ///< without brackets
  std::uint16_t port = kHttpPort;
};

std::optional<HostName> read_host(std::string_view text) {
  HostName host;
  const bool bracketed = text.starts_with('[');
  const std::size_t end = bracketed ? text.find(']') : text.find(':');
  if (bracketed && end == std::string_view::npos) return std::nullopt;
  host.name = bracketed ? text.substr(1, end - 1) : text.substr(0, end);
  std::string_view rest = end == std::string_view::npos ? "" : text.substr(end);
  if (bracketed) rest.remove_prefix(1);
  if (rest.empty()) return host;
  if (!rest.starts_with(':')) return std::nullopt;
  rest.remove_prefix(1);
  const auto [read, wrong] = std::from_chars(rest.data(), rest.data() + rest.size(), host.port);
  if (wrong != std::errc{} || read != rest.data() + rest.size()) return std::nullopt;
  return host;
}

/// Accepts addresses; of names, only `localhost`, since others can resolve to any address.
bool leads_here(const HostName& host, const asio::ip::tcp::endpoint& place) {
  if (host.port != place.port()) return false;
  const asio::ip::address own = place.address();
  if (host.name == "localhost") return own.is_loopback() || own.is_unspecified();
  boost::system::error_code error;
  const asio::ip::address named = asio::ip::make_address(host.name, error);
  if (error) return false;
  return named == own || own.is_unspecified();
}

bool same_token(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace

std::optional<Refusal> refusal_of(const RequestAuthorization& gate,
                                  const Credentials& credentials) {
  constexpr int kUnauthorized = 401;
  constexpr int kForbidden = 403;
  const auto host = read_host(credentials.host);
  if (!host || !leads_here(*host, gate.place)) {
    return Refusal{kForbidden,
                   "this is not the address of the page; open the address that was printed"};
  }
  if (!credentials.origin.empty() &&
      credentials.origin != "http://" + std::string(credentials.host)) {
    return Refusal{kForbidden,
                   "the request comes from another page; only the page of this address may ask"};
  }
  if (gate.token.empty() || !same_token(gate.token, credentials.token)) {
    return Refusal{kUnauthorized,
                   "the token is missing or wrong; open the address that foretrain serve printed, "
                   "with its token"};
  }
  return std::nullopt;
}

}  // namespace foretrain::web
