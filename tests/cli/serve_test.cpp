// The page's server on the command line: address, token, forecasts, runs.
#include "tests/cli/served_page.h"
#include "tests/support/child_processes.h"
#include "tests/support/wait_until.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <sys/types.h>

#include <csignal>
#include <future>
#include <string>
#include <utility>
#include <vector>

namespace foretrain {
namespace {

using namespace foretrain::testing;
using Json = nlohmann::ordered_json;

/// The last line of an answer with this event; null if there is none.
Json event_in(const HttpAnswer& answered, const std::string& event) {
  Json found;
  for (const std::string& line : answered.lines()) {
    Json json = Json::parse(line);
    if (json.at("event") == event) found = std::move(json);
  }
  return found;
}

/// The page's request about the scenario of a sandbox.
std::string question_of(const Sandbox& sandbox, const Json& controls) {
  return Json{
      {"file", "small.yaml"}, {"text", text_of(sandbox.path("small.yaml"))}, {"controls", controls}}
      .dump();
}

/// The state of a run, as soon as `done` accepts it.
template <class Done>
Json run_until(const Client& client, Done done) {
  Json run;
  wait_until([&] {
    run = Json::parse(client.get("/runs/1").body);
    return done(run);
  });
  return run;
}

TEST_CASE("serve: its address is the first line, also into a pipe, and it ends by Ctrl-C") {
  const Sandbox sandbox;
  ServedPage page(sandbox, {"--machine", "machine.yaml"});
  REQUIRE(page.address().starts_with("http://127.0.0.1:"));
  const Client client = page.client();
  CHECK(client.get("/").status == 200);
  CHECK(client.get("/").body.starts_with("<!DOCTYPE html>"));
  CHECK(client.get("/page.css").body.find("--series-0") != std::string::npos);
  CHECK(Json::parse(client.get("/library").body).at("first") == "scenarios/quickstart.yaml");
  CHECK(Json::parse(client.get("/records").body).empty());
  for (const char* path : {"/", "/library", "/records", "/runs", "/serve.js", "/nothing"}) {
    CAPTURE(path);
    CHECK(ask_raw(client.place(), request_text("GET", client.port(), path)).status == 401);
  }
  CHECK(client.get("/forecast").status == 405);
  CHECK(client.get("/runs/start").status == 400);
  CHECK(page.end() == 130);
}

TEST_CASE("serve: what cannot be is said before anything is served") {
  Sandbox sandbox;
  const ServedPage page(sandbox, {"--machine", "machine.yaml"});
  const std::string port = std::to_string(page.client().port());
  const Called taken = sandbox.call("serve --port " + port);
  CHECK(taken.status == 2);
  CHECK(taken.out.empty());
  CHECK(taken.err.find("--port " + port + ": cannot listen there") != std::string::npos);
  CHECK(sandbox.call("serve none.yaml --port 0").status == 2);
  CHECK(sandbox.call("serve --address here").status == 2);
}

TEST_CASE("serve: a forecast is what the command beside it prints") {
  Sandbox sandbox;
  const ServedPage page(sandbox, {"small.yaml", "--machine", "machine.yaml"});
  const Client client = page.client();
  CHECK(Json::parse(client.get("/library").body).at("first") == "small.yaml");
  const Json controls{{"workers", 4}, {"batch_size", 8}, {"strategy", "async"}};
  const HttpAnswer answered = client.post("/forecast", question_of(sandbox, controls));
  INFO(answered.body);
  for (const char* event : {"forecast", "learning"}) {
    const Json said = event_in(answered, event);
    REQUIRE(said.contains("record"));
    std::string command = said.at("command");
    REQUIRE(command.starts_with("foretrain simulate small.yaml "));
    command = command.substr(command.find(' ') + 1) + " --json --out here --force";
    const Called called = sandbox.call(command);
    CAPTURE(command, called.err);
    REQUIRE(called.status == 0);
    CHECK(said.at("record") == Json::parse(called.out));
  }
  sandbox.write("again.yaml", event_in(answered, "asked").at("yaml"));
  const Called again = sandbox.call("simulate again.yaml --json --machine machine.yaml");
  CHECK(Json::parse(again.out) == event_in(answered, "learning").at("record"));
  CHECK(event_in(answered, "ways").at("rows").size() > 20);
  CHECK(answered.lines().back() == R"({"event":"end"})");
}

/// Waits until the program's messages contain these words.
void wait_for(const Sandbox& sandbox, const std::string& words) {
  CAPTURE(words);
  wait_until([&] { return text_of(sandbox.path("serve.txt")).find(words) != std::string::npos; });
}

TEST_CASE("serve: this machine is measured beside the questions, until that is stopped") {
  const Sandbox sandbox;
  ServedPage page(sandbox, {"small.yaml"});
  const Client client = page.client();
  auto stands_on_it = std::async(std::launch::async, [&] {
    return client.post("/forecast", question_of(sandbox, Json::object()));
  });
  wait_for(sandbox, "This machine is not calibrated yet");
  const Json described{{"text",
                        "foretrain: 1\nname: star\nnumerics: off\ntraining: {strategy: sync, "
                        "workers: 3, steps: 20}\n"
                        "cluster: {hosts: [{name: node, count: 4, compute: 2 ms}]}\n"}};
  auto needs_none =
      std::async(std::launch::async, [&] { return client.post("/forecast", described.dump()); });
  const HttpAnswer dropped = stands_on_it.get();
  INFO(dropped.body);
  CHECK(!event_in(dropped, "measuring").is_null());
  CHECK(event_in(dropped, "forecast").is_null());
  CHECK(dropped.lines().back() == R"({"event":"dropped"})");
  CHECK(client.post("/measuring/stop", "{}").status == 200);
  const HttpAnswer answered = needs_none.get();
  CAPTURE(answered.body);
  CHECK(!event_in(answered, "forecast").is_null());
  CHECK(!event_in(answered, "ways").is_null());
  CHECK(answered.lines().back() == R"({"event":"end"})");
  CHECK(page.end() == 130);
}

TEST_CASE("serve: a run is started, watched, and opens as a report") {
  const Sandbox sandbox;
  ServedPage page(sandbox, {"--machine", "machine.yaml"});
  const Client client = page.client();
  const std::string question =
      question_of(sandbox, {{"set", {"training.steps=3000", "training.evaluate_every=500"}}});
  CHECK(client.get("/runs").body == "[]");
  const HttpAnswer started = client.post("/runs", question);
  INFO(started.body);
  REQUIRE(started.status == 200);
  const Json run = run_until(client, [](const Json& json) { return !json.at("running"); });
  CHECK(run.at("how") == "exited with status 0");
  CHECK(run.at("folder") == "small/run-1");
  const Json record = Json::parse(text_of(sandbox.path("out/small/run-1/run.json")));
  CHECK(record.at("outcome") == "done");
  CHECK(record.at("summary").at("steps") == 6000);
  const Json records = Json::parse(client.get("/records").body);
  REQUIRE(records.size() == 1);
  CHECK(records[0].at("folder") == "small/run-1");
  const HttpAnswer report = client.get("/records/small/run-1");
  CHECK(report.status == 200);
  CHECK(report.head.find("sandbox allow-scripts") != std::string::npos);
  CHECK(report.body.find("small: foretrain report") != std::string::npos);
  CHECK(client.get("/records/none").status == 400);
}

TEST_CASE("serve: a run tells how far it is, is stopped, ends with the page") {
  const Sandbox sandbox;
  ServedPage page(sandbox, {"--machine", "machine.yaml"});
  const Client client = page.client();
  const std::string endless = question_of(sandbox, {{"set", {"training.steps=10000000"}}});
  REQUIRE(client.post("/runs", endless).status == 200);
  const Json going = run_until(client, [](const Json& json) {
    return json.at("metrics").is_string() && json.at("metrics").get<std::string>().find(
                                                 "foretrain_steps_planned") != std::string::npos;
  });
  CHECK(going.at("running") == true);
  CHECK(client.post("/runs", endless).status == 400);
  REQUIRE(client.post("/runs/1/stop", "{}").status == 200);
  run_until(client, [](const Json& json) { return !json.at("running"); });
  CHECK(Json::parse(text_of(sandbox.path("out/small/run-1/run.json"))).at("outcome") ==
        "interrupted");
  REQUIRE(client.post("/runs", endless).status == 200);
  const std::vector<pid_t> children = child_processes(page.process());
  REQUIRE(children.size() == 1);
  CHECK(page.end() == 130);
  CHECK(kill(children[0], 0) != 0);
}

}  // namespace
}  // namespace foretrain
