// The answer to a question, line by line, compared with the simulator.
#include "reports/serve/answer.h"

#include "reports/record/not_done.h"
#include "reports/record/summary.h"
#include "reports/serve/scaling_table.h"
#include "reports/studies/trainings/trainings_result.h"
#include "scenarios/resolve/read.h"
#include "sim/whatif/forecaster.h"
#include "tests/support/cases.h"
#include "tests/support/instruments.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace foretrain::serve {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kLong =
    "foretrain: 1\nname: star\ntraining: {strategy: sync, workers: 3, steps: 1000}\n"
    "cluster: {hosts: [{name: node, count: 4, nic: 1 Gbps, compute: 2 ms, price: 3.60 per hour}]}\n"
    "numerics: off\n";
constexpr const char* kLearns =
    "foretrain: 1\nname: learns\ndataset: {take: 300, test_take: 100}\n"
    "training: {workers: 2, batch_size: 16, steps: 20, evaluate_every: 10}\n";

/// The lines of an answer.
struct Lines {
  std::vector<Json> all;
  int ends = 0;

  /// The last line with this event; null if there is none.
  [[nodiscard]] Json last(const std::string& event) const {
    Json found;
    for (const Json& line : all) {
      if (line.at("event") == event) found = line;
    }
    return found;
  }
};

class KeptReply final : public Reply {
 public:
  explicit KeptReply(Lines& lines) : lines_(lines) {}
  void send(web::HttpResponse /*said*/) override {}
  void line(std::string text) override { lines_.all.push_back(Json::parse(text)); }
  void end() override { ++lines_.ends; }
  [[nodiscard]] bool gone() const override { return false; }

 private:
  Lines& lines_;
};

Forecaster made_up_forecaster() {
  return sim::forecaster([](const Prepared& prepared) {
    return [key = prepared.model_key](const std::string&) { return testing::made_up_machine(key); };
  });
}

/// A measurement for forecasts that need none; fails if called.
void nothing_to_measure(const Case& /*case*/, const Tell& /*tell*/,
                        const std::function<bool()>& /*stopped*/) {
  FAIL("nothing has to be measured");
}

/// The complete answer to a question; `dropped`: number of lines after which the client drops it.
Lines answered(const Json& question, std::size_t dropped = 1'000'000,
               const Forecaster& forecaster = made_up_forecaster(),
               const Measure& measure = nothing_to_measure) {
  Lines lines;
  KeptReply reply(lines);
  Measuring measuring(measure);
  Answerer answerer(forecaster, "", measuring);
  answerer.answer(read_question(question.dump()), reply,
                  [&] { return lines.all.size() >= dropped; });
  CHECK(lines.ends == 1);
  return lines;
}

/// The output of `simulate --json` for the text with these overrides.
Json simulated(const std::string& text, const std::vector<std::string>& overrides) {
  return to_json(testing::simulate(parse_scenario(text, kTypedSource, overrides).front()));
}

TEST_CASE("answer: the first steps, then all of them, exactly as simulate has them") {
  const Lines reply = answered({{"text", kLong}, {"controls", {{"workers", 2}}}});
  const Json asked = reply.last("asked");
  REQUIRE(!asked.is_null());
  CHECK(asked.at("controls").at("workers") == 2);
  const Json forecast = reply.last("forecast");
  REQUIRE(!forecast.is_null());
  CHECK(forecast.at("whole") == false);
  CHECK(forecast.at("command") ==
        "foretrain simulate scenario.yaml --set training.workers=2 --set training.steps=200");
  CHECK(forecast.at("record") == simulated(kLong, {"training.workers=2", "training.steps=200"}));
  CHECK(forecast.at("limit").at("sentence").get<std::string>().starts_with("sync: "));
  CHECK(forecast.at("path").size() > 1);
  const Json whole = reply.last("whole");
  REQUIRE(!whole.is_null());
  CHECK(whole.at("record") == simulated(kLong, {"training.workers=2"}));
  const double time_s = whole.at("record").at("time_s");
  CHECK(forecast.at("whole_time_s").get<double>() == Approx(time_s).epsilon(0.02));
  CHECK(forecast.at("cost").get<double>() == Approx(3 * time_s / 1000).epsilon(0.02));
  CHECK(forecast.at("work").get<double>() == Approx(2.0 / 3));
  CHECK(forecast.at("sentence") == forecast.at("limit").at("sentence"));
  const Case all = parse_scenario(asked.at("yaml"), "star.yaml").front();
  CHECK(whole.at("sentence") == result_of({testing::simulate(all)}).sentence);
  CHECK(reply.last("learning").is_null());
  CHECK(reply.all.back().at("event") == "end");
}

TEST_CASE("answer: of steps of many messages fewer are forecast at once, the whole still follows") {
  const Lines reply =
      answered({{"text", kLong},
                {"controls", {{"set", {"training.steps=40", "training.bucket_size=100 B"}}}}});
  const Json forecast = reply.last("forecast");
  REQUIRE(!forecast.is_null());
  CHECK(forecast.at("record").at("steps").get<int>() < 120);
  const Json whole = reply.last("whole");
  if (testing::kSanitized && whole.is_null()) return;  // it takes longer than a page waits
  REQUIRE(!whole.is_null());
  const double time_s = whole.at("record").at("time_s");
  CHECK(forecast.at("whole_time_s").get<double>() == Approx(time_s).epsilon(0.02));
}

TEST_CASE("answer: every strategy with ever more workers, for as many examples") {
  const Lines reply = answered({{"text", kLong}});
  const Json points = reply.last("ways");
  REQUIRE(!points.is_null());
  CHECK(points.at("done") == points.at("all"));
  double sync_one = 0;
  double sync_four = 0;
  bool single = false;
  for (const Json& row : points.at("rows")) {
    CAPTURE(row.dump());
    const bool known = row.at("time_s").is_number();
    CHECK(known == row.at("why_not").get<std::string>().empty());
    if (known) CHECK(row.at("cost").get<double>() > 0);
    if (row.at("strategy") == "sync" && row.at("workers") == 1) sync_one = row.at("time_s");
    if (row.at("strategy") == "sync" && row.at("workers") == 4) sync_four = row.at("time_s");
    if (row.at("strategy") == "single") CHECK_FALSE(std::exchange(single, true));
  }
  CHECK(single);
  // 3,000 gradients of 2 ms each, shared by four workers.
  CHECK(sync_one > 6);
  CHECK(sync_four > 1.5);
  CHECK(sync_four < 0.75 * sync_one);
  CHECK(points.at("figure").at("panels").size() == 2);
}

TEST_CASE("answer: what it learns comes with the record of all its gradients") {
  const Lines reply = answered({{"text", kLearns}});
  const Json forecast = reply.last("forecast");
  REQUIRE(!forecast.is_null());
  CHECK(forecast.at("whole") == true);
  CHECK(forecast.at("record") == simulated(kLearns, {"numerics=off"}));
  const Json learning = reply.last("learning");
  REQUIRE(!learning.is_null());
  CHECK(learning.at("whole") == true);
  CHECK(learning.at("record") == simulated(kLearns, {}));
  CHECK(learning.at("record").at("test_accuracy").get<double>() > 0);
  CHECK(learning.at("command") == "foretrain simulate scenario.yaml");
  CHECK(learning.at("figure").at("panels").size() == 2);
}

TEST_CASE("answer: the question of a sweep is answered by all its cases, as simulate prints it") {
  const std::string text = std::string(kLearns) + "sweep: {training.strategy: [sync, async]}\n";
  const Lines reply = answered({{"text", text}, {"case", "strategy=async"}});
  CHECK(reply.last("asked").at("cases") == Json{"strategy=sync", "strategy=async"});
  CHECK(reply.last("learning").at("record").at("settings").at("training.strategy") == "async");
  std::vector<Record> records;
  for (const Case& each : parse_scenario(text, kTypedSource)) {
    records.push_back(testing::simulate(each));
  }
  CHECK(reply.last("answer").at("sentence") == result_of(records).sentence);
  CHECK(reply.last("answer").at("command") == "foretrain simulate scenario.yaml");
  CHECK(answered({{"text", kLearns}}).last("answer").is_null());
}

TEST_CASE("answer: a target is none of a forecast without numerics") {
  const std::string text = std::string(kLearns) + "numerics: on\n";
  const Lines reply =
      answered({{"text", text}, {"controls", {{"set", {"training.until.accuracy=0.99"}}}}});
  const Json forecast = reply.last("forecast");
  REQUIRE(!forecast.is_null());
  CHECK(forecast.at("command").get<std::string>().ends_with("--set training.until=null"));
}

TEST_CASE("answer: a mistake is the whole answer, with its line") {
  const Lines reply = answered({{"text", "foretrain: 1\ntraining: {steps: none}\n"}});
  REQUIRE(reply.all.size() == 1);
  CHECK(reply.all[0].at("event") == "error");
  CHECK(reply.all[0].at("line") == 2);
  const Lines late = answered({{"text", kLearns}, {"controls", {{"set", {"dataset.take=1"}}}}});
  CHECK(late.all.back().at("event") == "error");
}

/// A forecaster without a measured machine.
struct Unmeasured {
  bool measured = false;

  Forecaster forecaster() {
    return sim::forecaster([this](const Prepared& prepared) {
      return [this, key = prepared.model_key](const std::string&) {
        if (!measured) throw NotMeasured();
        return testing::made_up_machine(key);
      };
    });
  }
};

TEST_CASE("answer: this machine is measured first where a case stands on it, not otherwise") {
  Unmeasured machine;
  int times = 0;
  const Measure measure = [&](const Case& scenario_case, const Tell& tell, const auto&) {
    CHECK(scenario_case.scenario.name == "learns");
    tell("caches and memory");
    ++times;
    machine.measured = true;
  };
  const Lines described = answered({{"text", kLong}}, 1'000'000, machine.forecaster(), measure);
  CHECK(!described.last("forecast").is_null());
  CHECK(times == 0);
  const Lines reply = answered({{"text", kLearns}}, 1'000'000, machine.forecaster(), measure);
  CHECK(times == 1);
  CHECK(reply.last("forecast").at("record") == simulated(kLearns, {"numerics=off"}));
  CHECK(reply.all.back().at("event") == "end");
}

TEST_CASE("answer: measuring that is stopped is no mistake of the scenario") {
  Unmeasured machine;
  const Measure measure = [](const Case&, const Tell& tell, const auto&) {
    tell("caches and memory");
    throw NotDone(Outcome::interrupted, "stopped");
  };
  const Lines reply = answered({{"text", kLearns}}, 1'000'000, machine.forecaster(), measure);
  CHECK(reply.all.back().at("event") == "stopped");
  CHECK(reply.last("forecast").is_null());
  CHECK(reply.last("error").is_null());
}

TEST_CASE("answer: whoever asks something else hears no more of it") {
  const Lines at_once = answered({{"text", kLong}}, 0);
  REQUIRE(at_once.all.size() == 1);
  CHECK(at_once.all[0].at("event") == "dropped");
  const Lines later = answered({{"text", kLong}}, 2);
  REQUIRE(later.all.size() == 3);
  CHECK(later.all[1].at("event") == "forecast");
  CHECK(later.all[2].at("event") == "dropped");
}

}  // namespace
}  // namespace foretrain::serve
