// The program on the command line: output, errors, exit status.
#include "tests/cli/sandbox.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>

namespace foretrain {
namespace {

using testing::Called;
using testing::Sandbox;

TEST_CASE("front door: whatif says what limits a scenario or a recorded training") {
  Sandbox sandbox;
  const Called asked = sandbox.call("whatif small.yaml --machine machine.yaml --json");
  INFO(asked.err);
  REQUIRE(asked.status == 0);
  const auto json = nlohmann::json::parse(asked.out);
  CHECK(json["limit"]["resource"] == "worker CPU");
  CHECK(json["changes"].size() > 5);
  CHECK(json["measure"] == "320 examples");
  CHECK(asked.err.empty());
  CHECK(testing::text_of(sandbox.path("out/small/whatif-machine=machine.yaml/whatif.txt"))
            .find("limits it") != std::string::npos);
  CHECK(sandbox.has("out/small/whatif-machine=machine.yaml/whatif.json"));
  REQUIRE(sandbox.call("simulate small.yaml --machine machine.yaml --quiet").status == 0);
  const Called recorded =
      sandbox.call("whatif out/small/simulate-machine=machine.yaml --full --machine machine.yaml");
  INFO(recorded.err);
  CHECK(recorded.status == 0);
  CHECK(recorded.out.find("on the path") != std::string::npos);
}

TEST_CASE("front door: whatif verifies a change by its name") {
  Sandbox sandbox;
  const Called asked = sandbox.call(
      "whatif small.yaml --machine machine.yaml --json --repeat 1 --verify 'strategy async'");
  INFO(asked.err);
  REQUIRE(asked.status == 0);
  const auto json = nlohmann::json::parse(asked.out);
  CHECK(json["verified"]["change"] == "strategy async");
  CHECK(json["verified"]["measured_after_s"] > 0);
}

TEST_CASE("front door: run prints one JSON object and leaves a record") {
  Sandbox sandbox;
  const Called called = sandbox.call("run small.yaml --json --out here");
  CAPTURE(called.err);
  REQUIRE(called.status == 0);
  const auto json = nlohmann::json::parse(called.out);
  CHECK(json.at("mode") == "run");
  CHECK(json.at("updates") == 10);
  CHECK(json.at("weights_sha256").get<std::string>().size() == 64);
  for (const char* file : {"run.json", "steps.csv", "evals.csv", "usage.csv"}) {
    CHECK(sandbox.has(std::string("here/") + file));
  }
}

TEST_CASE("front door: with a sweep, JSON is a list of cases and each has its folder") {
  Sandbox sandbox;
  const Called called = sandbox.call(
      "simulate small.yaml --set 'sweep.training.strategy=[sync, async]' --machine machine.yaml "
      "--json --out here");
  CAPTURE(called.err);
  REQUIRE(called.status == 0);
  CHECK(nlohmann::json::parse(called.out).at("cases").size() == 2);
  CHECK(sandbox.has("here/strategy=sync/run.json"));
  CHECK(sandbox.has("here/strategy=async/run.json"));
}

TEST_CASE("front door: simulate with seeds gives bands and a record a seed") {
  Sandbox sandbox;
  const Called called =
      sandbox.call("simulate small.yaml --machine machine.yaml --seeds 5 --json --out here");
  CAPTURE(called.err);
  REQUIRE(called.status == 0);
  const auto json = nlohmann::json::parse(called.out);
  CHECK(json.at("seeds") == 5);
  for (const char* figure : {"time_s", "step_time_s_median", "final_loss", "bytes_sent"}) {
    const auto& band = json.at("figures").at(figure);
    CHECK(band.at("p5") <= band.at("median"));
    CHECK(band.at("median") <= band.at("p95"));
  }
  CHECK(json.at("figures").at("final_loss").at("p5") !=
        json.at("figures").at("final_loss").at("p95"));
  CHECK(called.err.find("nine of ten seeds") == std::string::npos);
  CHECK(sandbox.has("here/bands.csv"));
  CHECK(sandbox.has("here/seed=1/run.json"));
  CHECK(sandbox.has("here/seed=5/run.json"));
}

TEST_CASE("front door: a summary leaves the rows out but not the figures") {
  Sandbox sandbox;
  const std::string simulate = "simulate small.yaml --machine machine.yaml --json ";
  const Called whole = sandbox.call(simulate + "--out whole");
  const Called summary = sandbox.call(simulate + "--record summary --out summary");
  CAPTURE(whole.err, summary.err);
  REQUIRE(whole.status == 0);
  REQUIRE(summary.status == 0);
  CHECK(summary.out == whole.out);
  for (const char* rows : {"steps.csv", "usage.csv"}) {
    CHECK(sandbox.has(std::string("whole/") + rows));
    CHECK_FALSE(sandbox.has(std::string("summary/") + rows));
  }
  CHECK(sandbox.has("summary/run.json"));
  CHECK(sandbox.has("summary/evals.csv"));
  CHECK(sandbox.call("report whole summary --out figures").status == 0);
  CHECK(sandbox.call(simulate + "--record some").status == 2);
}

TEST_CASE("front door: seeds that mean nothing are refused") {
  Sandbox sandbox;
  for (const char* wrong : {"--seeds 0", "--seeds -3", "--seeds many", "--seeds 3 --replay here"}) {
    const Called called = sandbox.call(std::string("simulate small.yaml ") + wrong);
    CAPTURE(wrong, called.err);
    CHECK(called.status == 2);
    CHECK(called.err.find("--") != std::string::npos);
  }
}

TEST_CASE("front door: validate compares, draws, and says that the weights are equal") {
  Sandbox sandbox;
  const std::string validate = "validate small.yaml --machine machine.yaml --repeat 1 --out here ";
  const Called called = sandbox.call(validate);
  CAPTURE(called.err);
  REQUIRE(called.status == 0);
  CHECK(testing::text_of(sandbox.path("here/validation.txt")).find("step [ms]") !=
        std::string::npos);
  for (const char* file : {"run/small/1/run.json", "simulate/small/run.json", "validation.json",
                           "cases.csv", "accuracy.svg"}) {
    CHECK(sandbox.has(std::string("here/") + file));
  }
  const Called report = sandbox.call("report here/run/small/1 here/simulate/small --out figures");
  CAPTURE(report.err);
  CHECK(report.status == 0);
  const Called again = sandbox.call(validate + "--json");
  CHECK(again.status == 0);
  CHECK(nlohmann::json::parse(again.out).at("runs_found") == 1);
  CHECK(nlohmann::json::parse(again.out).at("weights_equal") == true);
  const Called other = sandbox.call(validate + "--set training.batch_size=8");
  CHECK(other.status == 2);
  CHECK(other.err.find("here/run/small/1: holds a record of another") != std::string::npos);
}

TEST_CASE("front door: validate tells a dozen lines, its tables where they are asked for") {
  Sandbox sandbox;
  const std::string validate = "validate small.yaml --machine machine.yaml --repeat 1 --out here ";
  const Called brief = sandbox.call(validate);
  CAPTURE(brief.err);
  REQUIRE(brief.status == 0);
  CHECK(std::ranges::count(brief.out, '\n') <= 16);
  CHECK(brief.out.find("\n sync ") != std::string::npos);
  for (const char* file : {"tables:  here/validation.txt\n", "records: here\n",
                           "figure:  here/accuracy.svg\n", "page:    here/report.html\n"}) {
    CHECK(brief.out.find(file) != std::string::npos);
  }
  const std::string tables = testing::text_of(sandbox.path("here/validation.txt"));
  CHECK(tables.find("\nGoals of the project\n") != std::string::npos);
  CHECK(brief.out.find("\nGoals") == std::string::npos);
  const Called full = sandbox.call(validate + "--full");
  REQUIRE(full.status == 0);
  CHECK(full.out.find("\nGoals of the project\n") != std::string::npos);
}

TEST_CASE("front door: validate replays async and fails above a bound if there is one") {
  Sandbox sandbox;
  const std::string validate =
      "validate small.yaml --set training.strategy=async --machine machine.yaml --repeat 1 "
      "--out here --quiet ";
  const Called loose = sandbox.call(validate + "--json --fail-above 1e9");
  CAPTURE(loose.err);
  REQUIRE(loose.status == 0);
  CHECK(nlohmann::json::parse(loose.out).at("replays_equal") == true);
  const Called strict = sandbox.call(validate + "--fail-above 1e-9");
  CHECK(strict.status == 1);
  CHECK(strict.err.find("error: async: the median error of the step time is above 1e-09 %") !=
        std::string::npos);
  CHECK(sandbox.call(validate + "--fail-above -1").status == 2);
}

TEST_CASE("front door: what is wrong with the input is said in one line, with status 2") {
  Sandbox sandbox;
  sandbox.write("bad.yaml", "foretrain: 1\ntraining:\n  wrkers: 3\n");
  const Called key = sandbox.call("run bad.yaml");
  CHECK(key.status == 2);
  CHECK(key.err ==
        "error: bad.yaml:3:3: training.wrkers: unknown key; did you mean training.workers?\n");
  const Called data = sandbox.call(
      "run small.yaml --set dataset.format=idx --set "
      "dataset.path=nowhere --set dataset.take=null "
      "--set dataset.test_take=null");
  CHECK(data.status == 2);
  CHECK(data.err.find("dataset.path: nowhere") != std::string::npos);
  CHECK(sandbox.call("run absent.yaml").status == 2);
  CHECK(sandbox.call("frobnicate").status == 2);
  CHECK(sandbox.call("run small.yaml --machine machine.yaml").status == 2);
  CHECK(sandbox.call("report small.yaml").status == 2);
  const Called out = sandbox.call("run small.yaml --out small.yaml/x");
  CHECK(out.status == 2);
  CHECK(out.err.find("small.yaml/x: cannot make the folder") != std::string::npos);
}

TEST_CASE("front door: no word of a command line is obeyed by a terminal") {
  Sandbox sandbox;
  for (const char* words :
       {"check \"$(printf 'a\\033[31m.yaml')\"",
        "check small.yaml --set \"$(printf 'na\\001me=x')\"",
        "run small.yaml --out \"$(printf 'a\\nb')\"", "\"$(printf '\\033c')\""}) {
    const Called called = sandbox.call(words);
    CAPTURE(words, called.err);
    CHECK(called.status == 2);
    CHECK(called.err.find("error: word ") == 0);
    CHECK(called.err.find("a control character, U+00") != std::string::npos);
    CHECK(called.err.find_first_of("\x1b\x01") == std::string::npos);
  }
  // Text of a file is printed without its control characters.
  sandbox.write("raw.json", "{\"foretrain_record\": \"\x1b[31m\"}");
  CHECK(sandbox.call("report raw.json").err.find('\x1b') == std::string::npos);
}

TEST_CASE("front door: calibrate from a record or a table writes what simulate reads") {
  Sandbox sandbox;
  const std::string alone =
      "simulate small.yaml --set training.strategy=single --set training.workers=1 --json "
      "--machine ";
  const Called known = sandbox.call(alone + "machine.yaml --out alone");
  CAPTURE(known.err);
  REQUIRE(known.status == 0);
  const Called calibrated =
      sandbox.call("calibrate --from alone --machine machine.yaml --out made/there.yaml");
  CAPTURE(calibrated.err);
  REQUIRE(calibrated.status == 0);
  CHECK(calibrated.out == "machine: made/there.yaml\n");
  CHECK(calibrated.err.find("softmax 784x10, batch 16: 0.026 ms") != std::string::npos);
  const Called again = sandbox.call(alone + "made/there.yaml --out again");
  CAPTURE(again.err);
  REQUIRE(again.status == 0);
  const auto step = [](const Called& called) {
    return nlohmann::json::parse(called.out).at("step_time_s_median").get<double>();
  };
  CHECK(step(again) == Approx(step(known)).epsilon(1e-6));

  const Called by_itself = sandbox.call("calibrate --from alone --out itself.yaml");
  CHECK(by_itself.status == 0);
  CHECK(by_itself.err.find("Not measured: cores, messages") != std::string::npos);

  sandbox.write("times.csv", "batch_size,seconds\n16,0.25\n");
  const std::string from_table = "calibrate --from times.csv --machine machine.yaml --quiet ";
  CHECK(sandbox.call(from_table + "--model 'softmax 784x10' --out t.yaml").err.empty());
  CHECK(step(sandbox.call(alone + "t.yaml --out t")) == Approx(0.25).epsilon(0.001));
  CHECK(sandbox.call(from_table + "small.yaml --out s.yaml").status == 0);
  CHECK(sandbox.call(from_table + "--out s.yaml").status == 2);
  CHECK(sandbox.call("calibrate --from alone").status == 2);
  CHECK(sandbox.call("calibrate --model x --out s.yaml").status == 2);
  sandbox.write("times.csv", "batch_size,seconds\n16,fast\n");
  const Called wrong = sandbox.call(from_table + "--model x --out s.yaml");
  CHECK(wrong.status == 2);
  CHECK(wrong.err.find("error: times.csv:2: seconds: 'fast'") == 0);
}

TEST_CASE("front door: a failed run has status 1, and its record is kept") {
  Sandbox sandbox;
  boost::asio::io_context loop;
  boost::asio::ip::tcp::acceptor taken(loop, {boost::asio::ip::address_v4::loopback(), 0});
  const std::string port = std::to_string(taken.local_endpoint().port());
  const Called called = sandbox.call("run small.yaml --out here --quiet --port " + port);
  CHECK(called.status == 1);
  CHECK(called.err.find("error: launcher: cannot listen on 127.0.0.1:" + port) == 0);
  CHECK(sandbox.has("here/run.json"));
}

TEST_CASE("front door: help and version are there, and check prints what it read") {
  Sandbox sandbox;
  CHECK(sandbox.call("--help").status == 0);
  CHECK(sandbox.call("--version").out.find("foretrain ") == 0);
  const Called called = sandbox.call("check small.yaml --set training.batch_size=8");
  CHECK(called.status == 0);
  CHECK(called.out.find("batch_size: 8") != std::string::npos);
  CHECK(called.out.find("learning_rate: ") != std::string::npos);
}

}  // namespace
}  // namespace foretrain
