// The JSON of `whatif --json`.
#include "reports/record/summary.h"
#include "reports/studies/whatif/forecast.h"
#include "reports/studies/whatif/whatif_data.h"

#include <nlohmann/json.hpp>

namespace foretrain {
namespace {

using Json = nlohmann::ordered_json;

Json given_or_null(std::optional<double> value) { return value ? Json(*value) : Json(); }
Json given_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

const char* name_of(Change::Kind kind) {
  if (kind == Change::Kind::resource) return "resource";
  return kind == Change::Kind::cluster ? "cluster" : "training";
}

std::optional<double> saved_time(const WhatIf& whatif, const Change& change) {
  if (!whatif.time_s || !change.time_s || change.reordered) return std::nullopt;
  return 1 - *change.time_s / *whatif.time_s;
}

Json path_json(const std::vector<PathShare>& shares) {
  Json path = Json::array();
  for (const PathShare& share : shares) {
    path.push_back({{"resource", share.resource},
                    {"time_s", share.time_s},
                    {"share", share.share},
                    {"whose", given_or_null(share.whose)}});
  }
  return path;
}

Json limit_json(const Limit& limit, const std::string& sentence) {
  return {{"resource", limit.resource},
          {"share", limit.share},
          {"whose", given_or_null(limit.whose)},
          {"change", given_or_null(limit.change)},
          {"sentence", sentence}};
}

Json changes_json(const WhatIf& whatif) {
  Json changes = Json::array();
  for (const Change& change : whatif.changes) {
    changes.push_back({{"name", change.name},
                       {"what", change.what},
                       {"kind", name_of(change.kind)},
                       {"time_s", given_or_null(change.time_s)},
                       {"saved", given_or_null(saved_time(whatif, change))},
                       {"reordered", change.reordered},
                       {"free_time_s", given_or_null(change.free_time_s)},
                       {"elasticity", given_or_null(change.elasticity)},
                       {"cost", given_or_null(change.cost)},
                       {"why_not", given_or_null(change.why_not)},
                       {"statistical_efficiency", given_or_null(change.statistical_efficiency)},
                       {"uneven_share", given_or_null(change.uneven_share)},
                       {"staleness_mean", given_or_null(change.staleness_mean)}});
  }
  return changes;
}

Json verified_json(const Verified& verified) {
  return {{"change", verified.change},
          {"repetitions", verified.repetitions},
          {"measured_before_s", verified.before_s},
          {"measured_after_s", verified.after_s},
          {"forecast_before_s", verified.forecast_before_s},
          {"forecast_after_s", verified.forecast_after_s},
          {"error", verified.error()},
          {"ratio_error", verified.ratio_error()}};
}

}  // namespace

Json to_json(const Forecast& forecast) {
  Json json;
  json["record"] = to_json(forecast.record);
  json["limit"] = limit_json(forecast.limit, first_sentence(forecast));
  json["path_s"] = forecast.path_s;
  json["path_whole"] = forecast.path_whole;
  json["queued_share"] = forecast.queued;
  json["path"] = path_json(forecast.path);
  return json;
}

Json to_json(const WhatIf& whatif) {
  Json json;
  json["name"] = whatif.scenario_case.scenario.name;
  json["question"] = given_or_null(whatif.scenario_case.scenario.question);
  json["settings"] = to_json(whatif.scenario_case.settings);
  json["limit"] = limit_json(whatif.limit, first_sentence(whatif));
  json["mode"] = "simulate";
  json["machine"] = given_or_null(whatif.machine);
  json["uncalibrated"] = given_or_null(whatif.uncalibrated);
  json["source"] = given_or_null(whatif.source);
  json["stands_on"] = given_or_null(whatif.stands_on);
  json["recorded"] = given_or_null(whatif.recorded);
  json["measure"] = whatif.measure;
  json["examples"] = whatif.examples;
  json["time_s"] = given_or_null(whatif.time_s);
  const auto bound = [&](double factor) {
    return whatif.time_s ? Json(*whatif.time_s * factor) : Json();
  };
  json["time_s_low"] = bound(whatif.range.low);
  json["time_s_high"] = bound(whatif.range.high);
  json["cost"] = given_or_null(whatif.cost);
  json["currency"] = given_or_null(whatif.currency);
  json["staleness_mean"] = given_or_null(whatif.staleness_mean);
  json["uneven_share"] = given_or_null(whatif.uneven_share);
  json["path_s"] = whatif.path_s;
  json["path_whole"] = whatif.path_whole;
  json["queued_share"] = whatif.queued;
  json["path"] = path_json(whatif.path);
  json["changes"] = changes_json(whatif);
  json["crossovers"] = Json::array();
  for (const Crossover& each : whatif.crossovers) {
    json["crossovers"].push_back({{"question", each.question},
                                  {"answer", each.answer},
                                  {"value", given_or_null(each.value)},
                                  {"asked", each.asked}});
  }
  if (!whatif.phases.empty()) {
    for (const PhasePair& pair : whatif.phases) {
      json["phases"].push_back({{"phase", pair.phase},
                                {"recorded_s", pair.recorded_s},
                                {"simulated_s", pair.simulated_s},
                                {"recorded_path_s", given_or_null(pair.path_s)}});
    }
  }
  if (whatif.verified) json["verified"] = verified_json(*whatif.verified);
  if (!whatif.not_verified.empty()) json["not_verified"] = whatif.not_verified;
  return json;
}

}  // namespace foretrain
