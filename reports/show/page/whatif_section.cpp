// What a page shows of the answers to what if.
#include "reports/record/text.h"
#include "reports/show/figures/of_records.h"
#include "reports/show/page/sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace foretrain {
namespace {

std::string whatif_source(const JsonObject& whatif) {
  std::string source = whatif.known_text("source");
  if (!source.empty()) return source;
  const std::string machine = whatif.known_text("machine");  // of an older program
  return machine.empty() ? "simulated" : "simulated on " + machine;
}

/// Per cent of the time that is saved, a bar a change; a mark where the resource would be free.
Panel ranking_of(const JsonObject& whatif) {
  Panel panel{"time saved by each change", "time saved [%]", "", {}, {}};
  Series saved{"time saved", {}, {}, false, 0, Mark::span};
  Series free{"if it took no time at all", {}, {}, false, 1, Mark::points};
  const auto whole = whatif.known_number("time_s");
  for (const JsonObject& change : whatif.objects("changes")) {
    const auto share = change.known_number("saved");
    if (!share) continue;
    const auto row = static_cast<double>(panel.rows.size());
    panel.rows.push_back(change.text("name"));
    // A loss lies left of zero; a bar reaches from the lesser end to the greater one.
    saved.x.push_back(std::min(0.0, *share * 100));
    saved.x_end.push_back(std::max(0.0, *share * 100));
    saved.y.push_back(row);
    saved.names.push_back(change.known_text("what"));
    const auto without = change.known_number("free_time_s");
    if (!without || !whole) continue;
    free.x.push_back((1 - *without / *whole) * 100);
    free.y.push_back(row);
    free.names.push_back(change.text("name"));
  }
  if (!saved.x.empty()) panel.series.push_back(std::move(saved));
  if (!free.x.empty()) panel.series.push_back(std::move(free));
  return panel;
}

/// Which change saves most: `slow-worker, backup_workers=1: double cores saves most, 50 %, ...`.
std::string saving_title(const JsonObject& whatif) {
  std::string name = whatif.text("name");
  const JsonObject settings = whatif.object("settings");
  for (const std::string& key : settings.keys()) {
    name += fmt::format(", {}={}", key.substr(key.rfind('.') + 1), settings.text(key.c_str()));
  }
  if (!whatif.known_number("time_s")) {
    return fmt::format("{}: no time to {} is known", name, whatif.text("measure"));
  }
  const std::string of = ", of the time for " + whatif.text("measure");
  std::string best;
  double most = 0;
  for (const JsonObject& change : whatif.objects("changes")) {
    const double saved = change.known_number("saved").value_or(0);
    if (saved <= most) continue;
    best = change.text("name");
    most = saved;
  }
  if (best.empty()) return fmt::format("{}: nothing that was tried saves time{}", name, of);
  return fmt::format("{}: {} saves most, {:.0f} %{}", name, best, most * 100, of);
}

/// Shares of the critical path, a bar a resource.
Panel path_of(const JsonObject& whatif) {
  Panel panel{"critical path", "share of the critical path [%]", "", {}, {}};
  Series shares{"share of the path", {}, {}, false, 2, Mark::span};
  for (const JsonObject& part : whatif.objects("path")) {
    shares.x.push_back(0);
    shares.x_end.push_back(part.known_number("share").value_or(0) * 100);
    shares.y.push_back(static_cast<double>(panel.rows.size()));
    shares.names.push_back(part.known_text("whose"));
    panel.rows.push_back(part.text("resource"));
  }
  if (!shares.x.empty()) panel.series.push_back(std::move(shares));
  return panel;
}

Table changes_of(const JsonObject& whatif) {
  const std::string currency = whatif.known_text("currency");
  Table table{"Changes",
              whatif_source(whatif),
              {{"change"},
               {"what it does", false, true},
               {"time [s]", true},
               {"saved [%]", true},
               {"elasticity [%/%]", true},
               {"time if free [s]", true},
               {currency.empty() ? "cost" : fmt::format("cost [{}]", currency), true},
               {"mean staleness [updates]", true},
               {"statistical efficiency", false, true},
               {"gradients by worker", false, true},
               {"why not", false, true}},
              {}};
  for (const JsonObject& change : whatif.objects("changes")) {
    const auto share = change.known_number("saved");
    const bool reordered = change.has("reordered") && change.flag("reordered");
    table.rows.push_back({{change.text("name")},
                          {change.known_text("what")},
                          {figure(change.known_number("time_s"))},
                          {share       ? fmt::format("{:+.1f}", *share * 100)
                           : reordered ? "reordered"
                                       : "-"},
                          {figure(change.known_number("elasticity"))},
                          {figure(change.known_number("free_time_s"))},
                          {figure(change.known_number("cost"))},
                          {figure(change.known_number("staleness_mean"))},
                          {change.known_text("statistical_efficiency")},
                          {change.known_text("uneven_share")},
                          {change.known_text("why_not")}});
  }
  table.drop_empty_columns();
  return table;
}

Table crossovers_of(const JsonObject& whatif) {
  Table table{"Where one choice begins to beat another",
              whatif_source(whatif),
              {{"question", false, true}, {"answer", false, true}},
              {}};
  for (const JsonObject& each : whatif.objects("crossovers")) {
    table.rows.push_back({{each.text("question")}, {each.text("answer")}});
  }
  return table;
}

}  // namespace

std::string whatif_sentence(const JsonObject& whatif) {
  return whatif.object("limit").text("sentence");
}

Section whatif_section(const JsonObject& whatif) {
  Section section{"whatif", "What if", whatif_sentence(whatif), {}, {}};
  if (const std::string footing = whatif.known_text("stands_on"); !footing.empty()) {
    section.text += " " + footing;
  }
  Figure figure{"whatif", saving_title(whatif), {}, whatif_source(whatif)};
  for (Panel& panel : std::vector{ranking_of(whatif), path_of(whatif)}) {
    if (!panel.series.empty()) figure.panels.push_back(std::move(panel));
  }
  if (!figure.panels.empty()) section.figures.push_back(std::move(figure));
  for (Table& table : std::vector{changes_of(whatif), crossovers_of(whatif)}) {
    if (!table.rows.empty()) section.tables.push_back(std::move(table));
  }
  return section;
}

}  // namespace foretrain
