#include "reports/serve/runs.h"

#include "reports/record/files.h"
#include "scenarios/language/input_error.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace foretrain::serve {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace fs = std::filesystem;
using asio::ip::tcp;
using boost::system::error_code;
using Json = nlohmann::ordered_json;

constexpr unsigned kHttpVersion = 11;

/// A port that is free now.
int unused_port() {
  asio::io_context loop;
  return tcp::acceptor(loop, {asio::ip::address_v4::loopback(), 0}).local_endpoint().port();
}

/// The Prometheus metrics of a run; nothing if it does not answer within a second.
std::optional<std::string> metrics_at(int port) {
  asio::io_context loop;
  beast::tcp_stream stream(loop);
  http::request<http::empty_body> request{http::verb::get, "/metrics", kHttpVersion};
  request.set(http::field::host, fmt::format("127.0.0.1:{}", port));
  beast::flat_buffer buffer;
  http::response<http::string_body> response;
  bool whole = false;
  const auto read = [&](error_code error, std::size_t /*bytes*/) { whole = !error; };
  const auto written = [&](error_code error, std::size_t /*bytes*/) {
    if (!error) http::async_read(stream, buffer, response, read);
  };
  const auto connected = [&](error_code error) {
    if (!error) http::async_write(stream, request, written);
  };
  stream.expires_after(std::chrono::seconds(1));
  stream.async_connect(
      tcp::endpoint(asio::ip::address_v4::loopback(), static_cast<std::uint16_t>(port)), connected);
  loop.run();
  return whole ? std::optional(response.body()) : std::nullopt;
}

}  // namespace

fs::path Runs::fresh_folder(const std::string& name) const {
  for (int number = 1;; ++number) {
    fs::path folder = out_ / name / fmt::format("run-{}", number);
    if (!fs::exists(folder)) return folder;
  }
}

int Runs::start(const Asked& asked) {
  const std::lock_guard lock(mutex_);
  for (Run& run : runs_) {
    look_at(run);
    if (!run.how)
      throw InputError("a run is in progress; runs share this machine, so stop it first");
  }
  Run run;
  // The label of a case without settings is its scenario's name in a form for folders.
  run.folder = fresh_folder(Case{{}, asked.scenario_case.scenario, {}}.label());
  prepare_folder(run.folder);
  Asked saved = asked;
  if (asked.unsaved) {
    const fs::path file = run.folder / asked.source;
    write_text_file(file, asked.question.text);
    saved.source = file.string();
  }
  run.metrics_port = unused_port();
  const std::vector<std::string> last{"--out", run.folder.string(), "--metrics",
                                      fmt::format(":{}", run.metrics_port), "--quiet"};
  run.command = saved.command("run", {}, last);
  run.process = processes_.start(saved.words("run", {}, last));
  runs_.push_back(std::move(run));
  return static_cast<int>(runs_.size());
}

Runs::Run& Runs::run_called(int id) {
  if (id < 1 || id > std::ssize(runs_)) throw InputError(fmt::format("there is no run {}", id));
  return runs_[static_cast<std::size_t>(id - 1)];
}

void Runs::look_at(Run& run) const {
  if (!run.how) run.how = processes_.how_ended(run.process);
}

Json Runs::json_of(const Run& run, int id) const {
  return {{"id", id},
          {"command", run.command},
          {"folder", run.folder.lexically_relative(out_).generic_string()},
          {"running", !run.how},
          {"how", run.how ? Json(*run.how) : Json()}};
}

Json Runs::status(int id) {
  Json json;
  int port = 0;
  {
    const std::lock_guard lock(mutex_);
    Run& run = run_called(id);
    look_at(run);
    json = json_of(run, id);
    if (!run.how) port = run.metrics_port;
  }
  const auto metrics = port != 0 ? metrics_at(port) : std::nullopt;
  json["metrics"] = metrics ? Json(*metrics) : Json();
  return json;
}

Json Runs::all() {
  const std::lock_guard lock(mutex_);
  Json json = Json::array();
  for (int id = static_cast<int>(runs_.size()); id > 0; --id) {
    Run& run = run_called(id);
    look_at(run);
    json.push_back(json_of(run, id));
  }
  return json;
}

void Runs::stop(int id) {
  const std::lock_guard lock(mutex_);
  Run& run = run_called(id);
  look_at(run);
  if (!run.how) ::kill(run.process, SIGINT);
}

void Runs::end() {
  const std::lock_guard lock(mutex_);
  for (Run& run : runs_) {
    look_at(run);
    if (run.how) continue;
    processes_.end(run.process);
    run.how = "ended with foretrain serve";
  }
}

}  // namespace foretrain::serve
