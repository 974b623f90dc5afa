// Authorization of requests: a client knows the token of the address.
#pragma once

#include <boost/asio/ip/tcp.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace foretrain::web {

/// Runs can be started by requests, so three things have to be right of every request:
///
///     token    as printed: nobody else on this machine knows it
///     Host     this address, or `localhost`: a name of somebody's own that leads here (DNS
///              rebinding) is another one
///     Origin   where there is one, this page: others' pages in the same browser ask in vain
///
/// No cookie says who somebody is, so no browser says it by itself.
struct Gate {
  std::string token;                     ///< empty: anybody may ask
  boost::asio::ip::tcp::endpoint place;  ///< where the server listens, with its port
};

/// What a request says of itself.
struct Credentials {
  std::string_view host;    ///< `127.0.0.1:8080`
  std::string_view origin;  ///< empty: it names none
  std::string_view token;   ///< empty: it has none
};

struct Refusal {
  int status = 0;  ///< 401: the token, 403: anything else
  std::string why;
};

/// Why it is refused; nothing: it may ask. Tokens are compared in a time that tells nothing of
/// them.
std::optional<Refusal> refusal_of(const Gate& gate, const Credentials& credentials);

}  // namespace foretrain::web
