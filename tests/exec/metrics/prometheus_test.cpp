// A run scraped by a real Prometheus, if it is installed.
#include "exec/system/process.h"
#include "tests/cli/sandbox.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <thread>

namespace foretrain::exec {
namespace {

using foretrain::testing::Sandbox;
namespace asio = boost::asio;
using asio::ip::tcp;
using Clock = std::chrono::steady_clock;

constexpr const char* kPrometheus = "/usr/bin/prometheus";

int port_for_metrics() {
  asio::io_context loop;
  return tcp::acceptor(loop, {asio::ip::address_v4::loopback(), 0}).local_endpoint().port();
}

/// Prometheus' value of this metric; an empty array if it has none yet.
nlohmann::json query(int port, const std::string& name) {
  asio::io_context loop;
  tcp::socket socket(loop);
  boost::system::error_code error;
  socket.connect({asio::ip::address_v4::loopback(), static_cast<std::uint16_t>(port)}, error);
  if (error) return nlohmann::json::array();
  asio::write(socket,
              asio::buffer(fmt::format("GET /api/v1/query?query={} HTTP/1.0\r\n\r\n", name)),
              error);
  std::string answer;
  asio::read(socket, asio::dynamic_buffer(answer), error);
  const std::size_t body = answer.find("\r\n\r\n");
  const auto json = nlohmann::json::parse(body == std::string::npos ? "" : answer.substr(body + 4),
                                          nullptr, false);
  if (json.is_discarded() || !json.contains("data")) return nlohmann::json::array();
  return json.at("data").at("result");
}

/// A child process that the destructor ends.
class Child {
 public:
  explicit Child(const std::vector<std::string>& arguments)
      : process_(start_process(arguments, {})) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() { end_processes({process_}, Duration{5'000'000'000}); }

 private:
  pid_t process_;
};

TEST_CASE("metrics: Prometheus scrapes a run while it goes on") {
  if (!std::filesystem::exists(kPrometheus)) {
    WARN("skipped: there is no " << kPrometheus << " (Debian: prometheus)");
    return;
  }
  Sandbox sandbox;
  const int metrics = port_for_metrics();
  const int web = port_for_metrics();
  sandbox.write("prometheus.yml",
                fmt::format("global: {{scrape_interval: 100ms, scrape_timeout: 100ms}}\n"
                            "scrape_configs:\n"
                            "  - job_name: foretrain\n"
                            "    static_configs: [{{targets: ['127.0.0.1:{}']}}]\n",
                            metrics));
  const Child prometheus({kPrometheus, "--config.file=" + sandbox.path("prometheus.yml").string(),
                          "--storage.tsdb.path=" + sandbox.path("tsdb").string(),
                          fmt::format("--web.listen-address=127.0.0.1:{}", web),
                          "--log.level=error"});
  const Child run({program_path(), "run", sandbox.path("small.yaml").string(), "--set",
                   "training.steps=10000000", "--quiet", "--out", sandbox.path("r").string(),
                   "--metrics", fmt::format(":{}", metrics)});
  const auto deadline = Clock::now() + std::chrono::seconds(60);
  const auto steps_of = [&] {
    auto result = nlohmann::json::array();
    while (result.empty() && Clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      result = query(web, "foretrain_steps_total%20%3E%200");
    }
    REQUIRE(!result.empty());
    CHECK(result[0].at("metric").at("case") == "sync");
    CHECK(result[0].at("metric").at("job") == "foretrain");
    return std::stod(result[0].at("value")[1].get<std::string>());
  };
  const double first = steps_of();
  double later = first;
  while (later <= first && Clock::now() < deadline) later = steps_of();
  CHECK(later > first);
  CHECK(query(web, "foretrain_resident_memory_bytes").size() == 3);
  CHECK(query(web, "foretrain_step_time_seconds_count").size() == 2);
}

}  // namespace
}  // namespace foretrain::exec
