// What limits a training as people read it: the sentence first, since most readers stop after it.
#include "reports/record/caveats.h"
#include "reports/record/record.h"
#include "reports/record/text.h"
#include "reports/studies/whatif/forecast.h"
#include "reports/studies/whatif/whatif.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace foretrain {
namespace {

constexpr double kLeastShare = 0.005;  // of the path: less is not listed
constexpr double kTells = 0.05;        // a saving worth a sentence
constexpr double kNothing = 0.0005;    // a saving, a loss that is none

std::string seconds(std::optional<double> time_s) {
  return time_s ? figure(time_s) + " s" : std::string("-");
}

std::string whole_percent(double share) { return fmt::format("{:.0f} %", share * 100); }

std::optional<double> saved(const WhatIf& whatif, std::optional<double> time_s) {
  if (!whatif.time_s || !time_s || *whatif.time_s <= 0) return std::nullopt;
  return 1 - *time_s / *whatif.time_s;
}

/// Which of the columns there are that not every table has.
struct ChangeColumns {
  bool elasticity = true;
  bool cost = true;
};

/// 2 + 27 + 12 + 10 + 9 + 11 = 71 columns, with prices 80.
std::string change_row(const ChangeColumns& columns, std::string_view name, std::string_view time,
                       std::string_view saving, std::string_view elasticity, std::string_view free,
                       std::string_view cost) {
  std::string row = fmt::format("  {}{}{}", left(name, 27), right(time, 12), right(saving, 10));
  if (columns.elasticity) row += right(elasticity, 9);
  row += right(free, 11);
  if (columns.cost) row += right(cost, 9);
  return row + "\n";
}

std::string money(std::optional<double> cost) {
  return cost ? fmt::format("{:.3g}", *cost) : std::string("-");
}

/// A resource that is worth nothing, faster or free.
bool saves_nothing(const WhatIf& whatif, const Change& change) {
  if (change.kind != Change::Kind::resource) return false;
  const auto small = [](double share) { return std::abs(share) < kNothing; };
  const auto gain = saved(whatif, change.time_s);  // without one nobody knows
  return gain && small(*gain) && small(saved(whatif, change.free_time_s).value_or(0));
}

std::string path_table(const WhatIf& whatif) {
  std::string text = fmt::format("critical path, {}{}\n", seconds(whatif.path_s),
                                 whatif.path_whole ? "" : " (of the beginning)");
  for (const PathShare& share : whatif.path) {
    if (share.share < kLeastShare) continue;
    const std::string whose = share.whose.empty() ? "" : "  most of it " + share.whose;
    text += fmt::format("  {}{}{}{}\n", left(share.resource, 27), right(seconds(share.time_s), 12),
                        right(whole_percent(share.share), 10), whose);
  }
  if (whatif.queued >= kLeastShare) {
    text += fmt::format("  of it {} in line for a core that had other work\n",
                        whole_percent(whatif.queued));
  }
  return text;
}

/// Changes whose time is that of another order of work.
std::string reordered_text(const WhatIf& whatif) {
  std::string names;
  for (const Change& change : whatif.changes) {
    if (change.reordered) names += (names.empty() ? "" : ", ") + change.name;
  }
  if (names.empty()) return {};
  return wrap(
      fmt::format("Reordered: {}: work takes another order, in which what others wait for "
                  "comes later. That says nothing of the resource, and no advice follows.",
                  names));
}

/// Times for as many examples say nothing of what is learned from them.
std::string efficiency_text(const WhatIf& whatif) {
  std::string text;
  for (const Change& change : whatif.changes) {
    if (!change.why_not.empty() || change.statistical_efficiency.empty()) continue;
    text += wrap(fmt::format("Statistical efficiency of {}: {}.", change.name,
                             change.statistical_efficiency));
  }
  return text;
}

/// How stale gradients are in the mean, with each change that moves it, to a tenth of an update.
std::string staleness_text(const WhatIf& whatif) {
  const auto tenth = [](std::optional<double> staleness) {
    return staleness ? fmt::format("{:.1f}", *staleness) : std::string();
  };
  const std::string base = tenth(whatif.staleness_mean);
  std::string moved = base.empty() ? "" : base + " as it is";
  bool others = false;
  for (const Change& change : whatif.changes) {
    if (!change.staleness_mean) continue;
    const std::string own = tenth(change.staleness_mean);
    if (own == base) {
      others = true;
      continue;
    }
    moved += fmt::format("{}{} with {}", moved.empty() ? "" : "; ", own, change.name);
  }
  if (moved.empty()) return {};
  return wrap(
      fmt::format("Mean staleness of gradients, in updates: {}.{}", moved,
                  others ? " With other changes it stays, unless workers go in step." : ""));
}

/// Whose gradients are compared, where they are not equally many of each worker.
std::string uneven_text(const WhatIf& whatif) {
  std::vector<TitledCaveat> all;
  if (!whatif.uneven_share.empty()) all.push_back({"As it is", whatif.uneven_share});
  for (const Change& change : whatif.changes) {
    // A change with the same workers beside the same servers says it once.
    if (change.uneven_share.empty() || change.uneven_share == whatif.uneven_share) continue;
    all.push_back({change.name, change.uneven_share});
  }
  return all.empty() ? "" : wrap("Not at an equal share." + caveats_of(all));
}

bool has_target(const WhatIf& whatif) {
  return whatif.scenario_case.scenario.training.until.wanted();
}

/// A row for each change that was tried; those that save nothing, or are not known to reach what is
/// not reached without them, are named below.
std::string change_rows(const WhatIf& whatif) {
  const ChangeColumns columns{!has_target(whatif), whatif.cost.has_value()};
  const std::string title = whatif.currency.empty() ? "cost" : "cost " + whatif.currency;
  std::string text = change_row(columns, "", "time", "saved", "per 1 %", "if free", title);
  text += change_row(columns, "as it is", seconds(whatif.time_s), "", "", "", money(whatif.cost));
  std::string nothing;
  std::string unknown;
  const auto add = [](std::string& names, const std::string& name) {
    names += (names.empty() ? "" : ", ") + name;
  };
  for (const Change& change : whatif.changes) {
    if (!change.why_not.empty()) continue;
    if (saves_nothing(whatif, change)) {
      add(nothing, change.name);
      continue;
    }
    if (!whatif.no_time.empty() && !change.time_s && !change.free_time_s) {
      add(unknown, change.name);
      continue;
    }
    const auto gain = saved(whatif, change.time_s);
    text += change_row(columns, change.name, seconds(change.time_s),
                       change.reordered ? "reordered"
                       : gain           ? signed_percent(*gain)
                                        : "-",
                       change.elasticity ? fmt::format("{:.2f} %", *change.elasticity) : "",
                       change.free_time_s ? seconds(change.free_time_s) : "", money(change.cost));
  }
  text += reordered_text(whatif);
  if (!nothing.empty()) text += wrap(fmt::format("Nothing is saved by {}.", nothing));
  if (!unknown.empty()) text += wrap(fmt::format("No time is known with {}.", unknown));
  return text;
}

std::string changes_table(const WhatIf& whatif) {
  const auto timed = [](const Change& c) { return c.time_s || c.free_time_s; };
  std::string text;
  if (!whatif.no_time.empty() && std::ranges::none_of(whatif.changes, timed)) {
    text = wrap(fmt::format("No change that was tried has a time to {}.", whatif.measure));
  } else {
    text = fmt::format(
        "time for {}{}\n", whatif.measure,
        has_target(whatif) ? ", interpolated between evaluations, which are left out" : "");
    text += change_rows(whatif);
  }
  for (const Change& change : whatif.changes) {
    if (change.why_not.empty()) continue;
    text += wrap(fmt::format("Not tried: {}: {}.", change.name, change.why_not));
  }
  if (!has_target(whatif)) {
    text += wrap(
        "Another batch, strategy, number of workers learns something else from as many examples: "
        "with a target (training.until) the time until it is reached is compared.");
    text += efficiency_text(whatif);
  }
  return text + uneven_text(whatif) + staleness_text(whatif);
}

std::string phases_table(const WhatIf& whatif) {
  if (whatif.phases.empty()) return {};
  const auto ms = [](std::optional<double> time_s) {
    return time_s ? figure(*time_s * 1e3) : std::string("-");
  };
  std::string text = fmt::format("phases of a step [ms], recorded {}\n", whatif.recorded);
  constexpr std::array kPhaseColumns{12, -14, -14, -14};
  text += table_line(kPhaseColumns, {"", "mean", "on the path", "simulated"});
  for (const PhasePair& pair : whatif.phases) {
    text += table_line(kPhaseColumns,
                       {pair.phase, ms(pair.recorded_s), ms(pair.path_s), ms(pair.simulated_s)});
  }
  return text;
}

std::string crossovers_text(const WhatIf& whatif) {
  std::string text;
  for (const Crossover& each : whatif.crossovers) {
    text += wrap(fmt::format("{} {}", each.question, each.answer));
  }
  return text;
}

std::string verified_text(const WhatIf& whatif) {
  if (!whatif.not_verified.empty()) return wrap("Not verified: " + whatif.not_verified);
  if (!whatif.verified) return {};
  const Verified& v = *whatif.verified;
  std::string text = wrap(fmt::format(
      "Run for real, {} times each: {} takes {} instead of {}; the forecast was {} "
      "instead of {}. The time with it is forecast with an error of {}, the ratio "
      "of both with {}.",
      v.repetitions, v.change, seconds(v.after_s), seconds(v.before_s), seconds(v.forecast_after_s),
      seconds(v.forecast_before_s), signed_percent(v.error()), signed_percent(v.ratio_error())));
  return text;
}

std::string source(const WhatIf& whatif) {
  if (!whatif.stands_on.empty()) return wrap("Simulated. " + whatif.stands_on);
  std::string text = fmt::format("Simulated, by {}.", whatif.machine.empty()
                                                          ? "what the scenario says of its hosts"
                                                          : "the machine " + whatif.machine);
  if (!whatif.uncalibrated.empty()) {
    text += fmt::format(" Compute is counted by FLOPs and bytes on {}: uncalibrated.",
                        whatif.uncalibrated);
  }
  return wrap(text);
}

}  // namespace

const Change* WhatIf::find(std::string_view name) const {
  const auto found = std::ranges::find(changes, name, &Change::name);
  return found == changes.end() ? nullptr : &*found;
}

std::string limit_text(const Case& scenario_case, const Limit& limit) {
  const std::string title = title_of(scenario_case);
  if (limit.resource.empty()) return fmt::format("{}: nothing took any time", title);
  return fmt::format("{}: {}{} limits it, {} of the critical path", title, limit.resource,
                     limit.whose.empty() ? "" : " of " + limit.whose, whole_percent(limit.share));
}

std::string first_sentence(const Forecast& forecast) {
  const Record& record = forecast.record;
  if (record.outcome == Outcome::done) {
    return limit_text(record.scenario_case, forecast.limit) + ".";
  }
  return fmt::format("{}: {}.", title_of(record.scenario_case), record.failure);
}

std::string first_sentence(const WhatIf& whatif) {
  if (whatif.path.empty() || whatif.changes.empty())
    return limit_text(whatif.scenario_case, {}) + ".";
  std::string text = limit_text(whatif.scenario_case, whatif.limit);
  if (!whatif.no_time.empty()) return fmt::format("{}; {}.", text, whatif.no_time);
  const Change* change = whatif.find(whatif.limit.change);
  const auto gain = change != nullptr ? saved(whatif, change->time_s) : std::nullopt;
  if (gain && !change->reordered) {
    text += fmt::format("; {} {} {}", change->what, *gain < 0 ? "costs" : "saves",
                        whole_percent(std::abs(*gain)));
  }
  // The first one saves most.
  const auto found = std::ranges::find(whatif.changes, false, &Change::reordered);
  if (found == whatif.changes.end()) return text + ".";
  const Change& best = *found;
  const auto most = saved(whatif, best.time_s);
  if (most && *most > kTells && best.name != whatif.limit.change) {
    text += fmt::format("; most is saved by {}, {}", best.name, whole_percent(*most));
    if (!best.statistical_efficiency.empty() && !has_target(whatif)) {
      text += ", at another statistical efficiency";
    }
  }
  return text + ".";
}

std::string to_table(const WhatIf& whatif) {
  std::string text = wrap(first_sentence(whatif));
  for (const std::string& part : {path_table(whatif), changes_table(whatif), phases_table(whatif),
                                  crossovers_text(whatif), verified_text(whatif), source(whatif)}) {
    if (!part.empty()) text += "\n" + part;
  }
  return text;
}

}  // namespace foretrain
