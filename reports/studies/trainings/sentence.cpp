#include "reports/studies/trainings/sentence.h"

#include "models/protocol/registry.h"
#include "reports/record/caveats.h"
#include "reports/record/source.h"
#include "reports/record/wrapped_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>

namespace foretrain {
namespace {

/// A training with a figure by which it is compared.
struct Ranked {
  std::string title;
  double value = 0;
  std::string told;     ///< the value as printed
  double error = 0;     ///< error of a forecast, as a share
  std::string range{};  ///< range of a forecast: ` (0.26 to 0.31)`
};

/// The training with the largest (`most`) or smallest value first, then all that tie with it.
std::vector<Ranked> ahead(const std::vector<Ranked>& all, bool most) {
  const Ranked& first = most ? *std::ranges::max_element(all, {}, &Ranked::value)
                             : *std::ranges::min_element(all, {}, &Ranked::value);
  std::vector<Ranked> tied{first};
  for (const Ranked& each : all) {
    const double larger = std::max(std::abs(each.value), std::abs(first.value));
    const bool near =
        std::abs(each.value - first.value) <= std::max(each.error, first.error) * larger;
    if (&each != &first && (near || each.told == first.told)) tied.push_back(each);
  }
  return tied;
}

/// `sync`, `sync and async`, `3 of them`; `many` replaces ` of them`.
std::string named(const std::vector<Ranked>& some, std::string_view many = " of them") {
  if (some.size() == 1) return some.front().title;
  if (some.size() == 2) return fmt::format("{} and {}", some[0].title, some[1].title);
  return fmt::format("{}{}", some.size(), many);
}

/// ` (no difference within the forecast's error, 10 %)`, `, a tie`; the range if there is no tie.
std::string tie_clause(const std::vector<Ranked>& tied) {
  if (tied.size() == 1) return tied.front().range;
  const double error = std::ranges::max_element(tied, {}, &Ranked::error)->error;
  if (error == 0) return ", a tie";
  return fmt::format(" (no difference within the forecast's error, {:.0f} %)", 100 * error);
}

/// `sync 1.98, async 1.95`; empty if they are many, or their titles have commas.
std::string few_rates(const std::vector<Ranked>& rates) {
  constexpr std::size_t kFew = 3;
  const auto has_comma = [](const Ranked& each) {
    return each.title.find(',') != std::string::npos;
  };
  if (rates.size() > kFew || std::ranges::any_of(rates, has_comma)) return {};
  std::string text;
  for (const Ranked& each : rates) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", each.title, each.told);
  }
  return text;
}

std::string speed_clause(const std::vector<Ranked>& rates) {
  const std::vector<Ranked> fastest = ahead(rates, true);
  if (fastest.size() > 1 && fastest.size() == rates.size()) {
    const std::string few = few_rates(rates);
    return fmt::format("none is clearly the fastest: {} examples/s{}",
                       few.empty() ? "all learn from about " + fastest.front().told : few,
                       tie_clause(fastest));
  }
  std::string text =
      fmt::format("{} {} the fastest, {} examples/s{}", named(fastest, ""),
                  fastest.size() == 1 ? "is" : "are", fastest.front().told, tie_clause(fastest));
  if (rates.size() == 1) return text;
  const std::vector<Ranked> slowest = ahead(rates, false);
  return text + fmt::format(", {:.2f} times as many as {}",
                            fastest.front().value / slowest.front().value, named(slowest));
}

std::string accuracy_clause(const std::vector<Ranked>& accuracies) {
  if (accuracies.empty()) return {};
  const std::vector<Ranked> best = ahead(accuracies, true);
  const std::string& told = best.front().told;
  if (best.size() == 1) {
    return fmt::format("; {} has the best test accuracy, {}", named(best), told);
  }
  if (best.size() == accuracies.size()) {
    return fmt::format("; all reach the same test accuracy, {}", told);
  }
  return fmt::format("; {} have the best test accuracy, {}", named(best), told);
}

/// `missed`: trainings that did not reach the target.
std::string target_clause(const std::string& target, const std::vector<Ranked>& reached,
                          const std::vector<Ranked>& missed) {
  if (reached.empty()) return fmt::format("none reaches {}", target);
  const std::vector<Ranked> first = ahead(reached, false);
  const std::string& soonest_s = first.front().told;
  const bool one = first.size() == 1;
  if (!one && missed.empty() && first.size() == reached.size()) {
    return fmt::format("all reach {} after {} s{}", target, soonest_s, tie_clause(first));
  }
  std::string text = fmt::format("{} {} {} first, after {} s{}", named(first, ""),
                                 one ? "reaches" : "reach", target, soonest_s, tie_clause(first));
  if (first.size() < reached.size()) {
    const std::vector<Ranked> last = ahead(reached, true);
    text += fmt::format("; {} last, after {} s", named(last), last.front().told);
  }
  if (missed.empty()) return text;
  return text +
         fmt::format("; {} {} not reach it", named(missed), missed.size() == 1 ? "does" : "do");
}

/// ` (0.26 to 0.31)`; empty for a run.
std::string range_clause(const ForecastRange& range, double low, double high) {
  if (range.error() == 0) return {};
  return fmt::format(" ({} to {})", figure(low), figure(high));
}

std::string memory_of(const Record& record) {
  const TrainingSpec& training = record.scenario_case.scenario.training;
  const bool several = training.workers > 1 && protocol_called(training.strategy).shards;
  return memory_sentence(*record.counted, several ? training.shard : "");
}

/// Notes that apply to a comparison: caveats, evaluation time that is left out.
std::string comparison_notes(const std::vector<Trained>& trainings) {
  std::vector<TitledCaveat> all;
  const auto share = [](const Trained& of) { return of.summary.evaluate_s / of.summary.time_s; };
  const Trained* longest = nullptr;  // by its share of evaluation
  for (const Trained& each : trainings) {
    for (const std::string& caveat : caveats(each.record)) all.push_back({each.title, caveat});
    if (each.record.counted && !each.record.counted->memory.fits()) {
      std::string memory = memory_of(each.record);
      memory.pop_back();
      all.push_back({each.title, std::move(memory)});
    }
    if (each.summary.evaluate_s <= 0) continue;
    if (longest == nullptr || share(each) > share(*longest)) longest = &each;
  }
  std::string text = caveats_of(all);
  if (longest == nullptr) return text;
  return fmt::format(" Times are without evaluation, which takes {:.1f} % of {}.{}",
                     100 * share(*longest), longest->title, text);
}

std::string comparison(const std::vector<Trained>& trainings) {
  const auto is_run = [](const Trained& each) { return each.record.mode == Mode::run; };
  const auto runs = std::ranges::count_if(trainings, is_run);
  const bool runs_alone = runs > 1;
  const bool mixed = runs_alone && runs < std::ssize(trainings);
  const std::string all =
      mixed ? fmt::format("{} runs", runs) : counted(std::ssize(trainings), "training");
  std::vector<Ranked> rates;
  std::vector<Ranked> accuracies;
  std::vector<Ranked> reached;
  std::vector<Ranked> missed;
  std::set<std::string> targets;
  for (const Trained& each : trainings) {
    if (runs_alone && !is_run(each)) continue;
    const Summary& s = each.summary;
    targets.insert(target_text(each.target()));
    const ForecastRange& range = each.range;
    if (const auto rate = s.bare_examples_per_s) {
      rates.push_back({each.title, *rate, figure(rate), range.apart,
                       range_clause(range, *rate / range.high, *rate / range.low)});
    }
    if (const auto accuracy = s.test_accuracy) {
      accuracies.push_back({each.title, *accuracy, fmt::format("{:.4f}", *accuracy)});
    }
    const double time_s = s.bare_time_to_target_s.value_or(0);
    (s.bare_time_to_target_s ? reached : missed)
        .push_back({each.title, time_s, figure(time_s), range.apart,
                    range_clause(range, time_s * range.low, time_s * range.high)});
  }
  if (rates.empty()) return fmt::format("{}, none of which completed a step.", all);
  const std::string notes = comparison_notes(trainings);
  if (targets.contains("")) {
    return fmt::format("Of {} {}{}.{}", all, speed_clause(rates), accuracy_clause(accuracies),
                       notes);
  }
  const std::string target = targets.size() == 1 ? *targets.begin() : "its target";
  return fmt::format("Of {} {}.{}", all, target_clause(target, reached, missed), notes);
}

/// The time to the target, or that it was not reached; empty if there is no target.
std::string target_reached(const Trained& training) {
  if (!training.target().wanted()) return {};
  const std::string what = target_text(training.target());
  if (passed_unseen(training.target(), training.summary)) {
    return fmt::format(
        "; {} was reached between two evaluations, so the time is not known; lower "
        "training.evaluate_every",
        what);
  }
  const auto time_s = training.summary.time_to_target_s;
  if (!time_s) return fmt::format("; {} not reached", what);
  return fmt::format(
      "; {} reached after {} s{}", what, figure(time_s),
      range_clause(training.range, *time_s * training.range.low, *time_s * training.range.high));
}

/// `; a step is 69 % compute, 20 % network`: the two largest parts of a step.
std::string largest_phases(const Summary& s) {
  struct Share {
    const char* name;
    double time_s;
  };
  const PhaseSeconds& p = s.phases;
  std::array shares{Share{"compute", p.compute}, Share{"network", p.push + p.pull},
                    Share{"waiting", p.wait}, Share{"applying", p.apply},
                    Share{"evaluation", p.evaluate}};
  const double all_s = length_of(p);
  if (all_s <= 0) return {};
  std::ranges::stable_sort(shares, std::greater{}, &Share::time_s);
  std::string text =
      fmt::format("; a step is {:.0f} % {}", 100 * shares[0].time_s / all_s, shares[0].name);
  const double second = 100 * shares[1].time_s / all_s;
  if (second >= 0.5) text += fmt::format(", {:.0f} % {}", second, shares[1].name);
  return text;
}

std::string outcome_sentence(const Trained& training) {
  const Record& record = training.record;
  const Summary& s = training.summary;
  const std::string what = fmt::format("{} {}", title_of(record.scenario_case),
                                       record.mode == Mode::simulate ? "simulated" : "run");
  if (record.outcome == Outcome::failed) {
    return fmt::format("{} failed after {}: {}", what, counted(s.steps, "step"), record.failure);
  }
  if (record.outcome == Outcome::interrupted) {
    return fmt::format("{} was interrupted after {}.", what, counted(s.steps, "step"));
  }
  std::string text = record.counted ? memory_of(record) : "";
  if (!text.empty()) text += " ";
  text += fmt::format("{}: {} in {} s", what, counted(s.gradients, "gradient"), figure(s.time_s));
  if (!training.target().wanted()) {
    text +=
        range_clause(training.range, s.time_s * training.range.low, s.time_s * training.range.high);
  }
  if (s.gradients_per_s) text += fmt::format(", {} a second", figure(s.gradients_per_s));
  text += target_reached(training);
  if (s.test_accuracy) text += fmt::format("; test accuracy {:.4f}", *s.test_accuracy);
  if (s.test_auc) text += fmt::format("; AUC {:.4f}", *s.test_auc);
  text += largest_phases(s) + ".";
  if (const std::string others = others_sentence(record); !others.empty()) text += " " + others;
  for (const std::string& caveat : caveats(record)) text += fmt::format(" Note: {}.", caveat);
  return text;
}

}  // namespace

const Target& Trained::target() const { return record.scenario_case.scenario.training.until; }

std::string Trained::range_s() const {
  const std::optional<double> time_s =
      target().wanted() ? summary.time_to_target_s : std::optional(summary.time_s);
  if (!time_s || range.error() == 0) return {};
  return fmt::format("{} to {}", figure(*time_s * range.low), figure(*time_s * range.high));
}

std::string trainings_sentence(const std::vector<Trained>& trainings) {
  if (trainings.size() == 1) return outcome_sentence(trainings.front());
  std::string text;
  for (const Trained& each : trainings) {
    if (each.record.outcome != Outcome::done) text += outcome_sentence(each) + " ";
  }
  return text + comparison(trainings);
}

}  // namespace foretrain
