#include "reports/show/page/whatif_section.h"

#include "reports/record/text.h"
#include "reports/show/figures/of_records.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace foretrain {
namespace {

using Json = nlohmann::ordered_json;

std::optional<double> number_at(const Json& object, const char* key) {
  if (!object.contains(key) || !object.at(key).is_number()) return std::nullopt;
  return object.at(key).get<double>();
}

std::string text_at(const Json& object, const char* key) {
  if (!object.contains(key) || !object.at(key).is_string()) return {};
  return object.at(key).get<std::string>();
}

std::string whatif_source(const Json& whatif) {
  const std::string source = text_at(whatif, "source");
  if (!source.empty()) return source;
  const std::string machine = text_at(whatif, "machine");  // of an older program
  return machine.empty() ? "simulated" : "simulated on " + machine;
}

/// Per cent of the time that is saved, a bar a change; a mark where the resource would be free.
Panel ranking_of(const Json& whatif) {
  Panel panel{"time saved by each change", "time saved [%]", "", {}, {}};
  Series saved{"time saved", {}, {}, false, 0, Mark::span};
  Series free{"if it took no time at all", {}, {}, false, 1, Mark::points};
  const auto whole = number_at(whatif, "time_s");
  for (const Json& change : whatif.at("changes")) {
    const auto share = number_at(change, "saved");
    if (!share) continue;
    const auto row = static_cast<double>(panel.rows.size());
    panel.rows.push_back(text_at(change, "name"));
    // A loss lies left of zero; a bar reaches from the lesser end to the greater one.
    saved.x.push_back(std::min(0.0, *share * 100));
    saved.x_end.push_back(std::max(0.0, *share * 100));
    saved.y.push_back(row);
    saved.names.push_back(text_at(change, "what"));
    const auto without = number_at(change, "free_time_s");
    if (!without || !whole) continue;
    free.x.push_back((1 - *without / *whole) * 100);
    free.y.push_back(row);
    free.names.push_back(text_at(change, "name"));
  }
  if (!saved.x.empty()) panel.series.push_back(std::move(saved));
  if (!free.x.empty()) panel.series.push_back(std::move(free));
  return panel;
}

/// Which change saves most.
std::string saving_title(const Json& whatif) {
  const std::string name = text_at(whatif, "name");
  const std::string measure = text_at(whatif, "measure");
  const std::string of = measure.empty() ? "" : ", of the time for " + measure;
  const Json* best = nullptr;
  double most = 0;
  for (const Json& change : whatif.at("changes")) {
    const double saved = number_at(change, "saved").value_or(0);
    if (saved <= most) continue;
    best = &change;
    most = saved;
  }
  if (best == nullptr) return fmt::format("{}: nothing that was tried saves time{}", name, of);
  return fmt::format("{}: {} saves most, {:.0f} %{}", name, text_at(*best, "name"), most * 100, of);
}

/// Shares of the critical path, a bar a resource.
Panel path_of(const Json& whatif) {
  Panel panel{"critical path", "share of the critical path [%]", "", {}, {}};
  Series shares{"share of the path", {}, {}, false, 2, Mark::span};
  for (const Json& part : whatif.at("path")) {
    shares.x.push_back(0);
    shares.x_end.push_back(number_at(part, "share").value_or(0) * 100);
    shares.y.push_back(static_cast<double>(panel.rows.size()));
    shares.names.push_back(text_at(part, "whose"));
    panel.rows.push_back(text_at(part, "resource"));
  }
  if (!shares.x.empty()) panel.series.push_back(std::move(shares));
  return panel;
}

Table changes_of(const Json& whatif) {
  const std::string currency = text_at(whatif, "currency");
  Table table{"Changes",
              whatif_source(whatif),
              {{"change"},
               {"what it does", false, true},
               {"time [s]", true},
               {"saved [%]", true},
               {"elasticity [%/%]", true},
               {"time if free [s]", true},
               {currency.empty() ? "cost" : fmt::format("cost [{}]", currency), true},
               {"statistical efficiency", false, true},
               {"why not", false, true}},
              {}};
  for (const Json& change : whatif.at("changes")) {
    const auto share = number_at(change, "saved");
    table.rows.push_back({{text_at(change, "name")},
                          {text_at(change, "what")},
                          {figure(number_at(change, "time_s"))},
                          {share ? fmt::format("{:+.1f}", *share * 100) : "-"},
                          {figure(number_at(change, "elasticity"))},
                          {figure(number_at(change, "free_time_s"))},
                          {figure(number_at(change, "cost"))},
                          {text_at(change, "statistical_efficiency")},
                          {text_at(change, "why_not")}});
  }
  table.drop_empty_columns();
  return table;
}

Table crossovers_of(const Json& whatif) {
  Table table{"Where one choice begins to beat another",
              whatif_source(whatif),
              {{"question", false, true}, {"answer", false, true}},
              {}};
  for (const Json& each : whatif.at("crossovers")) {
    table.rows.push_back({{text_at(each, "question")}, {text_at(each, "answer")}});
  }
  return table;
}

}  // namespace

std::string whatif_sentence(const Json& whatif) {
  if (!whatif.contains("limit")) return {};
  const Json& limit = whatif.at("limit");
  return limit.is_object() ? text_at(limit, "sentence") : text_at(whatif, "limit");
}

Section whatif_section(const Json& whatif) {
  Section section{"whatif", "What if", whatif_sentence(whatif), {}, {}};
  if (const std::string footing = text_at(whatif, "stands_on"); !footing.empty()) {
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
