#include "reports/serve/serve.h"

#include "reports/record/interruption.h"
#include "reports/serve/answer.h"
#include "reports/serve/latest_wins_worker.h"
#include "reports/serve/routes.h"
#include "reports/web/server.h"
#include "scenarios/language/input_error.h"
#include "scenarios/language/text_guard.h"
#include "scenarios/library/library.h"

#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <openssl/rand.h>

#include <poll.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace foretrain::serve {
namespace {

namespace asio = boost::asio;
using Json = nlohmann::ordered_json;
using asio::ip::tcp;
using web::Request;
using web::Route;
using Answered = std::shared_ptr<Reply>;

constexpr const char* kRecords = "/records";
constexpr const char* kRuns = "/runs";
constexpr int kBadRequest = 400;
constexpr int kBroken = 500;

/// An unpredictable token.
std::string fresh_token() {
  std::array<unsigned char, 24> bytes{};
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) {
    throw InputError("serve: the system gives no random bytes for a token");
  }
  return fmt::format("{:02x}", fmt::join(bytes, ""));
}

HttpResponse json_response(const Json& json) {
  return {200, "application/json", json.dump(-1, ' ', false, Json::error_handler_t::replace)};
}

/// Parses `127.0.0.1`, `::1`, `0.0.0.0`. @throws InputError if `address` is not an IP address
tcp::endpoint read_place(const std::string& address, int port) {
  boost::system::error_code error;
  const auto read = asio::ip::make_address(address, error);
  if (error) {
    throw InputError(fmt::format(
        "--address {}: is no address; write 127.0.0.1 (this machine only) or 0.0.0.0 (all others, "
        "too)",
        address));
  }
  return {read, static_cast<std::uint16_t>(port)};
}

/// The path after `/records/`, or after another `route`.
std::string behind(const Request& request, std::string_view route) {
  return request.path.size() > route.size() ? request.path.substr(route.size() + 1) : "";
}

/// Number in `3` or `3/stop`. @throws InputError
int number_of_run(std::string_view text) {
  int number = 0;
  const auto [read, wrong] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view rest(read, static_cast<std::size_t>(text.data() + text.size() - read));
  if (wrong != std::errc{} || !(rest.empty() || rest == "/stop")) {
    throw InputError(fmt::format("there is no run {}", text));
  }
  return number;
}

/// The components of the service, with their routes.
class Serving {
 public:
  explicit Serving(const Options& options)
      : options_(options),
        token_(fresh_token()),
        measuring_(options.measure),
        answerer_(options.forecaster, options.machine, measuring_),
        runs_(options.processes, options.out),
        server_(read_place(options.address, options.port), fmt::format("--port {}", options.port),
                token_, routes()) {}
  Serving(const Serving&) = delete;
  Serving& operator=(const Serving&) = delete;
  ~Serving() {
    runs_.end();      // gracefully, since they die with the server's thread
    server_.close();  // no request arrives after this
    worker_.leave();
    slow_.join();
  }

  [[nodiscard]] std::string address() const { return server_.address(); }

 private:
  std::vector<Route> routes() {
    std::vector<Route> routes{
        {"GET", "/", false,
         [this](const Request&, const Answered& reply) { reply->send(page_document(token_)); }},
        {"GET", "/library", false,
         [this](const Request&, const Answered& reply) {
           slowly(reply, [this] { return json_response(catalog_json(options_.scenario)); });
         }},
        {"POST", "/forecast", false,
         [this](const Request& request, const Answered& reply) { forecast(request, reply); }},
        {"POST", "/measuring/stop", false,
         [this](const Request&, const Answered& reply) {
           measuring_.stop();
           reply->send(json_response(Json::object()));
         }},
        {"GET", kRecords, true,
         [this](const Request& request, const Answered& reply) { show_records(request, reply); }},
        {"GET", kRuns, true,
         [this](const Request& request, const Answered& reply) { show_runs(request, reply); }},
        {"POST", kRuns, true,
         [this](const Request& request, const Answered& reply) { change_runs(request, reply); }}};
    for (const char* asset : {"/serve.js", "/serve.css", "/page.css", "/dark.css"}) {
      routes.push_back({"GET", asset, false, [](const Request& request, const Answered& reply) {
                          reply->send(page_asset(request.path));
                        }});
    }
    return routes;
  }

  /// Sends the result of `make`, which is called on a separate thread.
  template <class Make>
  void slowly(const Answered& reply, Make make) {
    asio::post(slow_, [reply, make = std::move(make)] {
      try {
        reply->send(make());
      } catch (const InputError& error) {
        reply->send({kBadRequest, {}, error.what()});
      } catch (const std::exception& error) {
        reply->send({kBroken, {}, fmt::format("foretrain has a bug: {}\n", error.what())});
      }
    });
  }

  void forecast(const Request& request, const Answered& reply) {
    worker_.ask([this, reply,
                 question = read_question(request.body)](const LatestWinsWorker::Dropped& dropped) {
      answerer_.answer(question, *reply, dropped);
    });
  }

  void show_records(const Request& request, const Answered& reply) {
    const std::string folder = behind(request, kRecords);
    slowly(reply, [this, folder] {
      if (folder.empty()) return json_response(records_json(options_.out));
      return HttpResponse{200, "text/html; charset=utf-8", record_page(options_.out, folder),
                          kReportPolicy};
    });
  }

  void show_runs(const Request& request, const Answered& reply) {
    const std::string which = behind(request, kRuns);
    if (which.empty()) return reply->send(json_response(runs_.all()));
    const int id = number_of_run(which);
    slowly(reply, [this, id] { return json_response(runs_.status(id)); });
  }

  void change_runs(const Request& request, const Answered& reply) {
    const std::string which = behind(request, kRuns);
    if (which.empty()) {
      const int id = runs_.start(read_asked(read_question(request.body)));
      return reply->send(json_response({{"id", id}}));
    }
    if (!which.ends_with("/stop")) throw InputError("no such action on a run; /stop ends it");
    const int id = number_of_run(which);
    runs_.stop(id);
    reply->send(json_response({{"id", id}}));
  }

  const Options& options_;
  std::string token_;
  Measuring measuring_;
  Answerer answerer_;  // used on the asker's thread
  Runs runs_;
  asio::thread_pool slow_{1};
  LatestWinsWorker worker_;
  web::HttpServer server_;  // last: its routes use the other members
};

}  // namespace

void serve_page(Options options) {
  if (options.out.empty()) options.out = "out";
  if (!options.scenario.empty()) (void)read_text(in_library(options.scenario));  // must exist
  const Interruption interruption;
  const Serving serving(options);
  fmt::print("{}\n", serving.address());
  std::fflush(stdout);  // a pipe would buffer it until the end
  pollfd signals{Interruption::descriptor(), POLLIN, 0};
  while (!Interruption::asked()) poll(&signals, 1, /*timeout=*/-1);
}

}  // namespace foretrain::serve
