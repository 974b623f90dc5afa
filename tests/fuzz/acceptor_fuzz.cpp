// Fuzzes the server of the page over a socket.
#include "models/base/check.h"
#include "reports/serve/question.h"
#include "reports/web/server.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/stranger.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/read.hpp>
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

using namespace foretrain;
using namespace foretrain::serve;
using namespace foretrain::web;
using boost::asio::ip::tcp;

namespace {

/// One path of each kind: with subpaths, with a question in the body, with lines.
std::vector<Route> routes() {
  const auto path = [](const Request& request, const std::shared_ptr<Reply>& reply) {
    reply->send({200, {}, request.path});
  };
  const auto question = [](const Request& request, const std::shared_ptr<Reply>& reply) {
    static QuestionReader reader;
    reply->send({200, {}, reader.read(read_question(request.body)).command("simulate", {})});
  };
  const auto lines = [](const Request& request, const std::shared_ptr<Reply>& reply) {
    reply->line(request.body);
    reply->end();
  };
  return {{"GET", "/", false, path},
          {"GET", "/records", true, path},
          {"POST", "/forecast", false, question},
          {"POST", "/lines", false, lines}};
}

const HttpServer& acceptor() {
  static const HttpServer served({boost::asio::ip::address_v4::loopback(), 0}, "--port 0", "token",
                                 routes());
  return served;
}

/// Inputs contain PORT in place of the server's port, which differs between processes.
std::string with_port(std::string text) {
  constexpr std::string_view kPort = "PORT";
  for (std::size_t at = text.find(kPort); at != std::string::npos; at = text.find(kPort, at)) {
    text.replace(at, kPort.size(), fmt::format("{}", acceptor().place().port()));
  }
  return text;
}

}  // namespace

/// The answer is empty, or does not blame this program.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = with_port(std::string(fuzz::text_of(data, size)));
  boost::asio::io_context loop;
  tcp::socket socket = fuzz::stranger(loop, acceptor().place());
  fuzz::say(socket, text);
  std::string answer;
  boost::system::error_code error;
  boost::asio::read(socket, boost::asio::dynamic_buffer(answer), error);
  FT_CHECK(answer.empty() || answer.starts_with("HTTP/1.1 "));
  FT_CHECK(answer.find("foretrain has a bug") == std::string::npos);
  return 0;
}
