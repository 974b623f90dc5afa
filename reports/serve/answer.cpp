#include "reports/serve/answer.h"

#include "models/base/check.h"
#include "reports/record/collector.h"
#include "reports/record/not_done.h"
#include "reports/record/source.h"
#include "reports/record/summary.h"
#include "reports/serve/scaling_table.h"
#include "reports/show/figures/of_records.h"
#include "reports/show/figures/vega_lite.h"
#include "reports/show/terminal/result_text.h"
#include "reports/studies/budget/first_steps.h"
#include "reports/studies/trainings/trainings_result.h"
#include "scenarios/resolve/equal_work.h"
#include "scenarios/resolve/prepared.h"
#include "scenarios/resolve/read.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace foretrain::serve {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

// Size of the immediate forecast: gradients of all workers, fewer if each has many messages.
constexpr std::int64_t kQuickGradients = 400;
constexpr std::int64_t kQuickBuckets = 20'000;
constexpr std::int64_t kQuickSteps = 2 * kBudgetWarmSteps;  // minimum per worker
constexpr double kWholePatience = 2;                        // s, for a simulation of all steps
constexpr double kFirstLearning = 2;                        // s, until intermediate results
constexpr double kLaterLearning = 4;                        // times as long for each next one
constexpr auto kProgressApart = std::chrono::milliseconds(250);
constexpr double kSecondsAnHour = 3600;
constexpr std::size_t kMostCompared = 64;  // cases of a sweep that the page simulates

Clock::time_point in_seconds(double seconds) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(
                            std::chrono::duration<double>(std::min(seconds, 1e6)));
}

Json figure_or_null(const Figure& figure) {
  return figure.panels.empty() ? Json() : vega_lite(figure);
}

}  // namespace

/// One answer while it is sent.
class Answer {
 public:
  Answer(Answerer& from, Reply& reply, const LatestWinsWorker::Dropped& dropped)
      : from_(from), reply_(reply), dropped_(dropped) {}

  void give(Question question) {
    if (dropped()) return say({{"event", "dropped"}});
    std::string source = question.file.empty() ? kTypedSource : question.file;
    try {
      asked_ = read_asked(std::move(question));
      source = asked_.source;
      tell_question();
      tell_all();
      say({{"event", dropped() ? "dropped" : "end"}});
    } catch (const NotDone&) {
      say({{"event", "stopped"}});
    } catch (const InvariantViolation& error) {
      tell_error(std::string("foretrain has a bug: ") + error.what(), source);
    } catch (const std::exception& error) {
      tell_error(error.what(), source);
    }
  }

 private:
  /// Properties of the training that are known without a simulation.
  struct Plan {
    double examples = 0;
    std::int64_t gradients = 0;  ///< of the whole training
    int workers = 1;
    std::int64_t quick_steps = 1;  ///< steps of a worker in the immediate forecast
    Price price;                   ///< of its hosts
    bool sparse = false;           ///< message sizes depend on the examples
  };

  [[nodiscard]] bool dropped() const { return dropped_() || reply_.gone(); }

  void say(const Json& json) {
    reply_.line(json.dump(-1, ' ', false, Json::error_handler_t::replace));
  }

  void tell_error(const std::string& message, const std::string& source) {
    Json json = error_json(message, source);
    json["event"] = "error";
    say(json);
  }

  void tell_question() {
    const Scenario& scenario = asked_.scenario_case.scenario;
    Json labels = Json::array();
    for (const Case& each : asked_.cases) labels.push_back(each.label());
    say({{"event", "asked"},
         {"name", scenario.name},
         {"question", scenario.question},
         {"source", asked_.source},
         {"unsaved", asked_.unsaved},
         {"cases", labels},
         {"case", asked_.label},
         {"controls", controls_of(asked_.scenario_case)},
         {"yaml", asked_.yaml()},
         {"run", asked_.command("run", {})}});
  }

  static Plan plan_of(const Case& scenario_case, DataSets& data_sets) {
    const Prepared prepared = prepare(scenario_case, Need::shape, data_sets);
    const Training& training = *prepared.training;
    Plan plan;
    plan.examples = planned_examples(training);
    plan.gradients =
        std::llround(plan.examples / static_cast<double>(training.examples_a_gradient()));
    plan.workers = training.workers;
    const std::int64_t buckets = std::max<std::int64_t>(1, std::ssize(training.layout->buckets));
    plan.quick_steps =
        std::max(kQuickSteps, std::min(kQuickGradients, kQuickBuckets / buckets) / plan.workers);
    plan.price = price_per_hour(prepared);
    plan.sparse = training.network->input().sparse();
    return plan;
  }

  void tell_all() {
    const Scenario& scenario = asked_.scenario_case.scenario;
    plan_ = plan_of(asked_.scenario_case, from_.data_sets_);
    if (scenario.numerics && !plan_.sparse) times_alone_.emplace_back("numerics=off");
    if (scenario.training.until.wanted()) times_alone_.emplace_back("training.until=null");
    if (tell_forecast()) tell_whole();
    // A long simulation would disturb a calibration that an earlier question has started.
    if (dropped() || !from_.measuring_.wait_for_quiet(telling(), dropping())) return;
    if (!scenario.numerics) tell_answer();
    if (!dropped()) tell_ways();
    if (dropped() || !scenario.numerics) return;
    tell_learning();
    if (!dropped()) tell_answer();
  }

  /// Ratio of the examples to those before any control was moved.
  double work() {
    Question before = asked_.question;
    before.controls = {};
    before.controls.set = asked_.question.controls.set;
    const Case unmoved = read_asked(std::move(before)).scenario_case;
    return plan_.examples / plan_of(unmoved, from_.data_sets_).examples;
  }

  Tell telling() {
    return [this](const std::string& line) { say({{"event", "measuring"}, {"what", line}}); };
  }
  [[nodiscard]] LatestWinsWorker::Dropped dropping() const {
    return [this] { return dropped(); };
  }

  /// Simulates, after a calibration of this machine if needed; nothing if the question was dropped.
  template <class Simulated>
  std::optional<Simulated> measured(
      const Case& shown,
      const std::function<Simulated(const Case&, const ForecastWatch&)>& simulate) {
    do {
      try {
        return simulate(shown, {dropping()});
      } catch (const NotMeasured&) {
      }
    } while (from_.measuring_.measure_for(shown, telling(), dropping()));
    return std::nullopt;
  }

  /// Sends a forecast of the first steps; true if there are further steps to simulate.
  bool tell_forecast() {
    std::vector<std::string> more = times_alone_;
    const std::int64_t steps = plan_.quick_steps;
    const bool cut = plan_.gradients > steps * plan_.workers;
    if (cut) {
      for (const char* length : {"training.epochs", "training.updates"}) {
        if (asked_.scenario_case.places.contains(length))
          more.push_back(length + std::string("=null"));
      }
      more.push_back("training.steps=" + std::to_string(steps));
    }
    const Case shown = asked_.with(more);
    const auto forecast = measured(shown, from_.forecaster_.forecast);
    if (!forecast || dropped()) return false;
    const double whole_s = whole_time_s(forecast->record, plan_.gradients);
    Json json{{"event", "forecast"}, {"whole", !cut}};
    json.update(foretrain::to_json(*forecast));
    json["origin"] = source_of(forecast->record);
    json["whole_time_s"] = whole_s;
    json["examples"] = plan_.examples;  // other forecasts are compared for as many
    json["work"] = work();
    const double an_hour = plan_.price.per_hour;
    json["cost"] = an_hour > 0 ? Json(an_hour * whole_s / kSecondsAnHour) : Json();
    json["currency"] = plan_.price.currency;
    add_result(json, forecast->record, more);
    if (cut) json["sentence"] = json["limit"]["sentence"];
    say(json);
    return cut && forecast->record.outcome == Outcome::done;
  }

  void tell_whole() {
    const Case whole = asked_.with(times_alone_);
    const auto late = in_seconds(kWholePatience);
    const Record record = from_.forecaster_.simulate(
        whole, {[this, late] { return dropped() || Clock::now() > late; }});
    if (dropped() || record.outcome == Outcome::interrupted) return;
    Json json{{"event", "whole"}, {"record", to_json(record)}};
    add_result(json, record, times_alone_);
    say(json);
  }

  void tell_ways() {
    const Case base = asked_.with(times_alone_);
    std::vector<ScalingPoint> points = scaling_points_of(base);
    const std::size_t all = points.size();
    std::vector<ScalingPoint> tried;
    tried.reserve(all);
    for (ScalingPoint& point : points) {
      const bool done = forecast_scaling_point(point, base, plan_.examples, from_.forecaster_,
                                               from_.data_sets_, {dropping()});
      if (!done || dropped()) return;
      const bool round = !tried.empty() && tried.back().workers != point.workers;
      if (round) say_scaling(tried, all);  // a row of all strategies with equal workers is complete
      tried.push_back(std::move(point));
    }
    say_scaling(tried, all);
  }

  void say_scaling(const std::vector<ScalingPoint>& points, std::size_t all) {
    say({{"event", "ways"},
         {"done", points.size()},
         {"all", all},
         {"rows", to_json(points)},
         {"figure", figure_or_null(scaling_figure(points))}});
  }

  /// Sends intermediate results after two seconds, eight, ..., then the final one.
  void tell_learning() {
    auto told = Clock::now();
    double patience = kFirstLearning;
    auto next = in_seconds(patience);
    const auto tell_progress = [&](std::int64_t done, std::int64_t all, const Record& so_far) {
      if (Clock::now() < told + kProgressApart) return;
      told = Clock::now();
      say({{"event", "learning"}, {"done", done}, {"all", all}});
      if (told < next) return;
      say_learning(so_far, false);
      next = in_seconds(patience *= kLaterLearning);
    };
    learned_ = from_.forecaster_.simulate(asked_.scenario_case, {dropping(), tell_progress});
    if (!dropped()) say_learning(*learned_, true);
  }

  void say_learning(const Record& record, bool whole) {
    Json json{{"event", "learning"},
              {"whole", whole},
              {"figure", figure_or_null(learning_curves({record}))}};
    if (whole) json["record"] = to_json(record);
    if (whole) add_result(json, record, {});
    say(json);
  }

  /// Sends the result of all cases of the sweep.
  void tell_answer() {
    const std::size_t all = asked_.cases.size();
    if (all < 2 || all > kMostCompared) return;
    std::vector<Record> records;
    for (const Case& each : asked_.cases) {
      say({{"event", "answer"}, {"done", records.size()}, {"all", all}});
      const bool known = learned_ && each.label() == asked_.label;
      const auto record = known ? learned_ : measured(each, from_.forecaster_.simulate);
      if (!record || dropped()) return;
      records.push_back(*record);
    }
    Result result = result_of(records);
    Json json{{"event", "answer"}, {"all", all}, {"sentence", std::exchange(result.sentence, "")}};
    json["text"] = to_text(result, false);
    json["command"] = asked_.command("simulate", {}, machine());
    say(json);
  }

  [[nodiscard]] std::vector<std::string> machine() const {
    if (from_.machine_.empty()) return {};
    return {"--machine", from_.machine_};
  }

  /// Adds the headline of a record, the command that prints both.
  void add_result(Json& json, Record record, const std::vector<std::string>& more) {
    keep_summary(record);
    json["sentence"] = result_of({record}).sentence;
    json["command"] = asked_.command("simulate", more, machine());
  }

  Answerer& from_;
  Reply& reply_;
  const LatestWinsWorker::Dropped& dropped_;
  Asked asked_;
  Plan plan_;
  std::optional<Record> learned_;         // of the shown case, with numerics
  std::vector<std::string> times_alone_;  // overrides: without numerics, if possible
};

void Answerer::answer(Question question, Reply& reply, const LatestWinsWorker::Dropped& dropped) {
  Answer(*this, reply, dropped).give(std::move(question));
  reply.end();
}

}  // namespace foretrain::serve
