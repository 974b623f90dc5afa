// The metrics of a run over HTTP, while it runs.
#include "exec/metrics/endpoint.h"

#include "scenarios/language/input_error.h"
#include "tests/exec/metrics/samples.h"
#include "tests/reports/support.h"
#include "tests/support/cases.h"
#include "tests/support/protocol_options.h"
#include "tests/support/real_run.h"

#include <boost/asio/connect.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>

namespace foretrain::exec {
namespace {

using namespace foretrain::testing;
namespace asio = boost::asio;
using asio::ip::tcp;

const tcp::endpoint kAnyPort{asio::ip::address_v4::loopback(), 0};

tcp::endpoint place_of(const MetricsEndpoint& endpoint) {
  const std::string url = endpoint.url();
  return read_metrics_place(url.substr(7, url.rfind('/') - 7));
}

/// The answer to `request` until the other end closes.
std::string ask(const tcp::endpoint& place, const std::string& request) {
  asio::io_context loop;
  tcp::socket socket(loop);
  socket.connect(place);
  boost::system::error_code error;  // the other end may close before all is written
  asio::write(socket, asio::buffer(request), error);
  std::string answer;
  asio::read(socket, asio::dynamic_buffer(answer), error);
  return answer;
}

std::string get(const tcp::endpoint& place, const std::string& target) {
  return ask(place,
             fmt::format("GET {} HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n", target));
}

std::string body_of(const std::string& answer) {
  const std::size_t end = answer.find("\r\n\r\n");
  return end == std::string::npos ? "" : answer.substr(end + 4);
}

std::string complaint(const std::string& place) {
  try {
    (void)read_metrics_place(place);
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("metrics endpoint: a port alone is on loopback, an address is where it says") {
  CHECK(read_metrics_place(":9464") == tcp::endpoint(asio::ip::make_address("127.0.0.1"), 9464));
  CHECK(read_metrics_place("9464") == read_metrics_place(":9464"));
  CHECK(read_metrics_place("0.0.0.0:80") == tcp::endpoint(tcp::v4(), 80));
  CHECK(read_metrics_place("[::]:80") == tcp::endpoint(tcp::v6(), 80));
  CHECK(complaint("here:80") ==
        "--metrics here:80: 'here' is no address; write one, such as 127.0.0.1 or 0.0.0.0");
  for (const char* wrong : {"", ":", ":http", "127.0.0.1", ":65536", ":-1", ":80 "}) {
    CAPTURE(wrong);
    CHECK(complaint(wrong).find("write :PORT for this machine only") != std::string::npos);
  }
}

TEST_CASE("metrics endpoint: it answers what is asked for, nothing else, one after the other") {
  MetricsEndpoint endpoint(kAnyPort);
  const tcp::endpoint place = place_of(endpoint);
  CHECK(body_of(get(place, "/metrics")).empty());
  endpoint.follow(small_record(Mode::run, "sync"), 10);
  const std::string answer = get(place, "/metrics?x=1");
  CHECK(answer.starts_with("HTTP/1.1 200 OK\r\n"));
  CHECK(answer.find("Content-Type: text/plain; version=0.0.4") != std::string::npos);
  CHECK(samples_of(body_of(answer)).at(R"(foretrain_gradients_total{case="sync"})") == 4);
  CHECK(get(place, "/").starts_with("HTTP/1.1 404 "));
  CHECK(ask(place, "POST /metrics HTTP/1.1\r\nConnection: close\r\n\r\n")
            .starts_with("HTTP/1.1 405 "));
  CHECK(ask(place, "no HTTP at all\r\n\r\n").empty());
  CHECK(ask(place, std::string(100'000, 'x')).empty());
  const std::string twice = ask(place, "GET / HTTP/1.1\r\n\r\nGET / HTTP/1.0\r\n\r\n");
  CHECK(twice.find("404", twice.find("404") + 3) != std::string::npos);
  CHECK(get(place, "/metrics") == get(place, "/metrics"));
}

TEST_CASE("metrics endpoint: a port that is taken is an error that names it") {
  const MetricsEndpoint first(kAnyPort);
  CHECK_THROWS_WITH(MetricsEndpoint(place_of(first)), Catch::Contains("cannot listen there"));
}

TEST_CASE("metrics endpoint: a run is scraped while it goes on") {
  MetricsEndpoint endpoint(kAnyPort);
  const tcp::endpoint place = place_of(endpoint);
  Case scenario_case = small_case("async", 2, 400);
  set_option(scenario_case.scenario.training.protocol, "quota", "own");
  RunOptions options;
  std::vector<double> seen;
  options.watch = [&](const Record& so_far, std::int64_t all) {
    endpoint.follow(so_far, all);
    const auto samples = samples_of(body_of(get(place, "/metrics")));
    seen.push_back(samples.at(R"(foretrain_gradients_total{case="async"})"));
  };
  const Record record = real_run(scenario_case, options);
  REQUIRE(!seen.empty());
  CHECK(std::ranges::is_sorted(seen));
  CHECK(seen.back() == 800);
  const auto last = samples_of(body_of(get(place, "/metrics")));
  CHECK(last.at(R"(foretrain_steps_total{case="async",node="worker1"})") == 400);
  CHECK(last.at(R"(foretrain_test_accuracy{case="async"})") == record.evals.back().accuracy);
  std::int64_t sent = 0;
  for (const UsageRow& row : record.usage) sent += row.node == 2 ? row.tx.value : 0;
  CHECK(last.at(R"(foretrain_sent_bytes_total{case="async",node="server0"})") ==
        static_cast<double>(sent));
}

}  // namespace foretrain::exec
