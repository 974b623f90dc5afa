// Authorization of HTTP requests by token, host, origin.
#pragma once

#include <boost/asio/ip/tcp.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace foretrain::web {

/// Requests can start runs, so each is checked for three things:
///
///     token    the printed one, which no other user of this machine knows
///     Host     this address, or `localhost`; any other name may be one that somebody pointed at
///              this address (DNS rebinding)
///     Origin   this page, if there is one; other pages in the same browser are rejected
///
/// There are no cookies, so a browser never authorizes a request of another page by itself.
struct RequestAuthorization {
  std::string token;                     ///< empty: requests are not checked
  boost::asio::ip::tcp::endpoint place;  ///< address and port of the server
};

/// The credentials in a request's headers and its query.
struct Credentials {
  std::string_view host;    ///< `127.0.0.1:8080`
  std::string_view origin;  ///< empty if there is none
  std::string_view token;   ///< empty if there is none
};

struct Refusal {
  int status = 0;  ///< 401 for the token, else 403
  std::string why;
};

/// Why a request is rejected; empty if it is authorized. The time to compare tokens does not depend
/// on their content.
std::optional<Refusal> refusal_of(const RequestAuthorization& gate, const Credentials& credentials);

}  // namespace foretrain::web
