// Authorization of requests to the page's server.
#include "reports/web/request_authorization.h"

#include <catch2/catch.hpp>

#include <string>

namespace foretrain::web {
namespace {

using boost::asio::ip::make_address;

RequestAuthorization gate_at(const char* address) {
  return {"secret", {make_address(address), 8080}};
}

/// The status of the rejection; 0 if the request is accepted.
int refused(const RequestAuthorization& gate, const Credentials& credentials) {
  const auto refusal = refusal_of(gate, credentials);
  return refusal ? refusal->status : 0;
}

TEST_CASE("gate: the token opens it, nothing else does") {
  const RequestAuthorization gate = gate_at("127.0.0.1");
  CHECK(refused(gate, {"127.0.0.1:8080", "", "secret"}) == 0);
  for (const char* wrong : {"", "secre", "secrets", "SECRET", "secret "}) {
    CAPTURE(wrong);
    CHECK(refused(gate, {"127.0.0.1:8080", "", wrong}) == 401);
  }
  CHECK(refused({"", {make_address("127.0.0.1"), 8080}}, {"127.0.0.1:8080", "", ""}) == 401);
}

TEST_CASE("gate: a name that leads here is not this address") {
  const RequestAuthorization gate = gate_at("127.0.0.1");
  CHECK(refused(gate, {"localhost:8080", "", "secret"}) == 0);
  for (const char* host : {"", "evil.example:8080", "127.0.0.1", "127.0.0.1:80", "127.0.0.1:8081",
                           "127.0.0.1.evil.example:8080", "localhost.evil.example:8080",
                           "127.0.0.1:8080x", "127.0.0.1:8080:1", "10.0.0.1:8080", "[::1]:8080",
                           "[127.0.0.1:8080", "localhost:", ":8080"}) {
    CAPTURE(host);
    CHECK(refused(gate, {host, "", "secret"}) == 403);
  }
}

TEST_CASE("gate: a page of somebody else may not ask, though it knows the token") {
  const RequestAuthorization gate = gate_at("127.0.0.1");
  CHECK(refused(gate, {"127.0.0.1:8080", "http://127.0.0.1:8080", "secret"}) == 0);
  for (const char* origin : {"null", "http://evil.example", "https://127.0.0.1:8080",
                             "http://127.0.0.1:8081", "http://localhost:8080"}) {
    CAPTURE(origin);
    CHECK(refused(gate, {"127.0.0.1:8080", origin, "secret"}) == 403);
  }
}

TEST_CASE("gate: where it listens to others, they reach it by its address") {
  CHECK(refused(gate_at("0.0.0.0"), {"10.1.2.3:8080", "http://10.1.2.3:8080", "secret"}) == 0);
  CHECK(refused(gate_at("0.0.0.0"), {"evil.example:8080", "", "secret"}) == 403);
  CHECK(refused(gate_at("::1"), {"[::1]:8080", "", "secret"}) == 0);
  CHECK(refused(gate_at("10.1.2.3"), {"10.1.2.3:8080", "", "secret"}) == 0);
  CHECK(refused(gate_at("10.1.2.3"), {"localhost:8080", "", "secret"}) == 403);
}

}  // namespace
}  // namespace foretrain::web
