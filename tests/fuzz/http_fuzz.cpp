// Fuzzes the endpoint of the metrics over a socket.
#include "exec/metrics/endpoint.h"
#include "models/base/check.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/stranger.h"
#include "tests/reports/support.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/read.hpp>

#include <string>

using namespace foretrain;
using namespace foretrain::exec;
using boost::asio::ip::tcp;

namespace {

MetricsEndpoint& endpoint() {
  static MetricsEndpoint served({boost::asio::ip::address_v4::loopback(), 0});
  static const bool begun = [] {
    served.begin();
    served.follow(testing::small_record(Mode::run, "sync"), 100);
    return true;
  }();
  (void)begun;
  return served;
}

}  // namespace

/// The answer is empty or valid HTTP.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string url = endpoint().url();
  const tcp::endpoint place = read_metrics_place(url.substr(7, url.rfind('/') - 7));
  boost::asio::io_context loop;
  tcp::socket socket = fuzz::stranger(loop, place);
  fuzz::say(socket, fuzz::text_of(data, size));
  std::string answer;
  boost::system::error_code error;
  boost::asio::read(socket, boost::asio::dynamic_buffer(answer), error);
  FT_CHECK(answer.empty() || answer.starts_with("HTTP/1."));
  return 0;
}
