// The page's server over sockets.
#include "reports/web/server.h"

#include "scenarios/language/input_error.h"
#include "tests/reports/web/client.h"

#include <boost/asio/read_until.hpp>
#include <catch2/catch.hpp>

#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace foretrain::web {
namespace {

using namespace foretrain::testing;

/// Routes that report which of them was requested; `kept`: replies that the test sends itself.
struct Rooms {
  std::promise<std::shared_ptr<Reply>> kept;

  std::vector<Route> routes() {
    const auto text = [](const Request& request, const std::shared_ptr<Reply>& reply) {
      reply->send({200, {}, request.method + " " + request.path + " " + request.body});
    };
    return {
        {"GET", "/", false, text},
        {"POST", "/runs", false, text},
        {"GET", "/records", true, text},
        {"GET", "/wrong", false,
         [](const Request&, const std::shared_ptr<Reply>&) { throw InputError("no such file"); }},
        {"GET", "/silent", false, [](const Request&, const std::shared_ptr<Reply>&) {}},
        {"POST", "/lines", false,
         [this](const Request&, const std::shared_ptr<Reply>& reply) { kept.set_value(reply); }}};
  }
};

Client client_of(const HttpServer& server) { return {server.place().port(), "secret"}; }

const boost::asio::ip::tcp::endpoint kFreePlace{boost::asio::ip::address_v4::loopback(), 0};

TEST_CASE("http server: a path that is there is answered, with headers that keep it in its place") {
  Rooms rooms;
  const HttpServer server(kFreePlace, "--port 0", "secret", rooms.routes());
  const Client client = client_of(server);
  CHECK(server.address() == fmt::format("http://127.0.0.1:{}/?token=secret", client.port()));
  const HttpAnswer page = client.get("/");
  CHECK(page.status == 200);
  CHECK(page.body == "GET / ");
  for (const char* header :
       {"Cache-Control: no-store", "Content-Security-Policy: default-src 'none'",
        "Referrer-Policy: no-referrer", "X-Content-Type-Options: nosniff"}) {
    CAPTURE(header);
    CHECK(page.head.find(header) != std::string::npos);
  }
  CHECK(client.post("/runs", "{}").body == "POST /runs {}");
  CHECK(client.get("/records").body == "GET /records ");
  CHECK(client.get("/records/a%20b/c?x=1").body == "GET /records/a b/c ");
  const HttpAnswer missing = client.get("/recordsx");
  CHECK(missing.status == 404);
  const HttpAnswer refused = client.get("/runs");
  CHECK(refused.status == 405);
  for (const HttpAnswer& closed : {page, missing, refused}) {  // as requested by the client
    CHECK(closed.head.find("Connection: close") != std::string::npos);
  }
  for (const char* path : {"/%zz", "/records/%00", "/records/a%1Bb"}) {
    CHECK(client.get(path).status == 404);
  }
  const HttpAnswer wrong = client.get("/wrong");
  CHECK(wrong.status == 400);
  CHECK(wrong.body == "no such file");
  CHECK(client.get("/silent").status == 500);
}

TEST_CASE("http server: without the token every path says so, and nothing is asked") {
  Rooms rooms;
  const HttpServer server(kFreePlace, "--port 0", "secret", rooms.routes());
  const int port = server.place().port();
  for (const char* target : {"/", "/runs", "/records/x", "/none", "/lines", "/?token=other",
                             "/?x=1&token=", "/records/..%2f..%2f", "*"}) {
    for (const char* method : {"GET", "POST", "HEAD", "OPTIONS", "DELETE", "NONE"}) {
      CAPTURE(target, method);
      const HttpAnswer answered =
          ask_raw(server.place(), request_text(method, port, target, {}, "text"));
      CHECK(answered.status == 401);
      CHECK(answered.head.find("Location:") == std::string::npos);
    }
  }
  CHECK(ask_raw(server.place(), request_text("GET", port, "/?x=1&token=secret")).status == 200);
  const std::string key = "Authorization: Bearer secret\r\n";
  const auto status = [&](const std::string& more, const std::string& host) {
    return ask_raw(server.place(), fmt::format("GET / HTTP/1.1\r\nHost: {}\r\nConnection: "
                                               "close\r\n{}{}\r\n",
                                               host, key, more))
        .status;
  };
  const std::string here = fmt::format("127.0.0.1:{}", port);
  CHECK(status("", here) == 200);
  CHECK(status("", "evil.example") == 403);
  CHECK(status("Origin: http://evil.example\r\n", here) == 403);
  CHECK(status("Origin: http://" + here + "\r\n", here) == 200);
}

TEST_CASE("http server: what is no request gets no answer, what is too long none to its end") {
  Rooms rooms;
  const HttpServer server(kFreePlace, "--port 0", "secret", rooms.routes());
  CHECK(ask_raw(server.place(), "no HTTP at all\r\n\r\n").status == 0);
  CHECK(ask_raw(server.place(), std::string(100'000, 'x')).status == 0);
  const Client client = client_of(server);
  const int status = client.post("/runs", std::string(5'000'000, 'x')).status;
  CHECK((status == 413 || status == 0));  // the server may close before it has read
  CHECK(client.post("/runs", std::string(1'000'000, 'x')).status == 200);
  const std::string twice =
      fmt::format("GET / HTTP/1.1\r\nHost: 127.0.0.1:{0}\r\n{1}\r\n{2}", client.port(),
                  client.key(), request_text("GET", client.port(), "/records", client.key()));
  const HttpAnswer both = ask_raw(server.place(), twice);
  CHECK(both.body.find("GET /records") != std::string::npos);
}

TEST_CASE("http server: hundreds of strangers who say nothing keep nobody with the token out") {
  Rooms rooms;
  const HttpServer server(kFreePlace, "--port 0", "secret", rooms.routes());
  const Client client = client_of(server);
  boost::asio::io_context loop;
  boost::asio::ip::tcp::socket kept(loop);  // has shown the token, so it stays
  kept.connect(server.place());
  const std::string request = fmt::format("GET /records HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n{}\r\n",
                                          client.port(), client.key());
  const auto ask_again = [&] {
    boost::asio::write(kept, boost::asio::buffer(request));
    std::string answer;
    boost::system::error_code error;
    boost::asio::read_until(kept, boost::asio::dynamic_buffer(answer), "GET /records ", error);
    return !error;
  };
  REQUIRE(ask_again());
  std::vector<boost::asio::ip::tcp::socket> strangers;
  for (std::size_t i = 0; i < kMostClients + 50; ++i) {
    strangers.emplace_back(loop).connect(server.place());
  }
  CHECK(client.get("/").status == 200);
  CHECK(ask_again());
}

TEST_CASE("http server: an answer comes line by line, from another thread") {
  Rooms rooms;
  const HttpServer server(kFreePlace, "--port 0", "secret", rooms.routes());
  std::thread answering([&] {
    const std::shared_ptr<Reply> reply = rooms.kept.get_future().get();
    for (int i = 0; i < 100; ++i) reply->line(fmt::format("{{\"line\":{}}}", i));
    reply->end();
    reply->line("too late");
  });
  const HttpAnswer answered = client_of(server).post("/lines", "ask");
  answering.join();
  CHECK(answered.status == 200);
  CHECK(answered.head.find("application/x-ndjson") != std::string::npos);
  REQUIRE(answered.lines().size() == 100);
  CHECK(answered.lines().back() == "{\"line\":99}");
}

TEST_CASE("http server: whoever answers line by line sees that the client has left") {
  Rooms rooms;
  const HttpServer server(kFreePlace, "--port 0", "secret", rooms.routes());
  const Client client = client_of(server);
  boost::asio::io_context loop;
  std::shared_ptr<Reply> reply;
  {
    boost::asio::ip::tcp::socket socket(loop);
    socket.connect(server.place());
    boost::asio::write(socket, boost::asio::buffer(request_text("POST", client.port(), "/lines",
                                                                client.key(), "ask")));
    reply = rooms.kept.get_future().get();
    reply->line("first");
    std::string begun;
    boost::asio::read_until(socket, boost::asio::dynamic_buffer(begun), "first");
    CHECK_FALSE(reply->gone());
  }
  for (int i = 0; i < 5'000 && !reply->gone(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  CHECK(reply->gone());
  reply->line("for nobody");
}

TEST_CASE("http server: without a token anybody is answered; who asked last stays longest") {
  Rooms rooms;
  const HttpServer server(kFreePlace, "--metrics :0", "", rooms.routes());
  CHECK(ask_raw(server.place(), "GET / HTTP/1.1\r\nConnection: close\r\n\r\n").body == "GET / ");
  boost::asio::io_context loop;
  boost::asio::ip::tcp::socket asks(loop);
  asks.connect(server.place());
  const auto ask_again = [&] {
    boost::asio::write(asks, boost::asio::buffer(std::string("GET /records HTTP/1.1\r\n\r\n")));
    std::string answer;
    boost::system::error_code error;
    boost::asio::read_until(asks, boost::asio::dynamic_buffer(answer), "GET /records ", error);
    return !error;
  };
  std::vector<boost::asio::ip::tcp::socket> silent;
  for (std::size_t i = 0; i + 2 < kMostClients; ++i) {
    silent.emplace_back(loop).connect(server.place());
  }
  CHECK(ask_raw(server.place(), "GET /none HTTP/1.1\r\nConnection: close\r\n\r\n").status == 404);
  REQUIRE(ask_again());
  for (int i = 0; i < 2; ++i) silent.emplace_back(loop).connect(server.place());
  CHECK(ask_again());
}

TEST_CASE("http server: a port that is taken is an error that names the option") {
  Rooms rooms;
  const HttpServer first(kFreePlace, "--port 0", "secret", rooms.routes());
  CHECK_THROWS_WITH(HttpServer(first.place(), "--port 80", "secret", {}),
                    Catch::StartsWith("--port 80: cannot listen there: "));
}

}  // namespace
}  // namespace foretrain::web
