// Computes the summary figures of a record.
#include "reports/record/summary.h"

#include "models/base/check.h"
#include "models/protocol/registry.h"
#include "reports/record/caveats.h"
#include "reports/record/collector.h"
#include "reports/record/forecast_range.h"
#include "reports/record/source.h"
#include "scenarios/resolve/prepared.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <set>
#include <vector>

namespace foretrain {
namespace {

using Json = nlohmann::ordered_json;

/// Nearest double, so that the printed number has no extra digits.
double seconds(Duration d) { return static_cast<double>(d.ns) / 1e9; }

std::optional<double> known_value(double value) {
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::optional<double> rate(double count, double time_s) {
  return time_s > 0 ? std::optional(count / time_s) : std::nullopt;
}

Json or_null(std::optional<double> value) {
  return value && std::isfinite(*value) ? Json(*value) : Json();
}

Json or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json or_null(std::optional<Bytes> bytes) { return bytes ? Json(bytes->value) : Json(); }

void summarize_steps(const Record& record, Summary& summary) {
  const StepTotals totals = step_totals_of(record);
  summary.steps = totals.steps;
  summary.phases = seconds_of(totals.sum);
  if (summary.steps == 0) return;
  summary.step_time_s_median = seconds(totals.median);
  summary.staleness_mean =
      static_cast<double>(totals.staleness) / static_cast<double>(summary.steps);
}

/// MFU as Chowdhery and others 2022 define it, with half of the scores of causal attention.
void summarize_counted(const Record& record, Summary& summary) {
  const CountedTotals& counted = *record.counted;
  const auto gradients = static_cast<double>(record.gradients);
  if (counted.tokens > 0) {
    summary.tokens_per_s = rate(gradients * static_cast<double>(counted.tokens), summary.time_s);
    const auto all = static_cast<double>(record.scenario_case.scenario.training.tokens);
    if (all > 0 && summary.tokens_per_s) summary.tokens_time_s = all / *summary.tokens_per_s;
  }
  const double devices = record.scenario_case.scenario.training.workers;
  if (counted.peak > 0) {
    summary.model_flops_utilization =
        rate(gradients * counted.flops / (devices * counted.peak), summary.time_s);
  }
}

/// Hosts have prices in a simulation only; those of a run are the actual ones.
void add_cost(const Record& record, Summary& summary) {
  constexpr double kHour_s = 3600;
  if (record.mode != Mode::simulate) return;
  const Scenario& scenario = record.scenario_case.scenario;
  std::set<std::string> used{scenario.dataset.input.served_by, scenario.framework.session_host};
  for (const NodeTotals& node : record.nodes) used.insert(node.host);
  summary.price = price_per_hour(scenario, used);
  if (summary.price.per_hour == 0) return;
  summary.cost = summary.price.per_hour * summary.tokens_time_s.value_or(summary.time_s) / kHour_s;
  constexpr double kBillion = 1e9;
  if (summary.tokens_per_s) {
    summary.cost_of_tokens = summary.price.per_hour * kBillion / *summary.tokens_per_s / kHour_s;
  }
}

/// Time from the moment that all nodes were ready until the final evaluation was done.
Duration until_the_end(const Record& record) {
  Duration end = record.time;
  for (const EvalReport& e : record.evals) end = std::max(end, e.time - Instant{} + e.took);
  return end;
}

void add_cost(const Summary& s, Json& json) {
  json["cost"] = *s.cost;
  if (!s.price.currency.empty()) json["currency"] = s.price.currency;
  json["price_per_hour"] = s.price.per_hour;
}

void add_counted(const CountedTotals& counted, const Summary& summary, Json& json) {
  json["parameters"] = counted.parameters;
  json["tokens_per_s"] = or_null(summary.tokens_per_s);
  json["model_flops_utilization"] = or_null(summary.model_flops_utilization);
  json["cost_of_1e9_tokens"] = or_null(summary.cost_of_tokens);
  if (summary.tokens_time_s) json["tokens_time_s"] = *summary.tokens_time_s;
  json["device_memory_bytes"] = counted.memory.total().value;
  const bool known = counted.memory.capacity.value > 0;
  json["device_memory_capacity"] = known ? Json(counted.memory.capacity.value) : Json();
  json["fits"] = known ? Json(counted.memory.fits()) : Json();
}

/// Adds the totals of checkpoints and restarts.
void add_interruptions(const Record& record, Json& json) {
  if (record.checkpoints.count > 0) {
    json["checkpoints"] = {{"count", record.checkpoints.count},
                           {"bytes", record.checkpoints.size.value},
                           {"time_s", record.checkpoints.time.seconds()}};
  }
  if (!record.resumed.empty()) json["resumed"] = record.resumed;
  if (record.restarts.count > 0) {
    json["restarts"] = {{"count", record.restarts.count},
                        {"lost_steps", record.restarts.lost_steps},
                        {"lost_s", seconds(record.restarts.lost)},
                        {"down_s", seconds(record.restarts.down)}};
  }
}

Json phases_json(const PhaseSeconds& phases) {
  Json json = Json::object();
  for (const auto& [name, of] : kPhases<double>) json[fmt::format("{}_s", name)] = phases.*of;
  return json;
}

}  // namespace

std::optional<double> cpu_percent(const Record& record, const NodeTotals& node) {
  return rate(node.cpu_s * 100, seconds(until_the_end(record)));
}

std::optional<double> resident_bytes(const NodeTotals& node) {
  return node.rss ? std::optional(static_cast<double>(node.rss->value)) : std::nullopt;
}

Summary summarize(const Record& record) {
  Summary summary;
  summary.updates = record.updates;
  summary.gradients = record.gradients;
  summary.time_s = seconds(record.time);
  summary.startup_s = seconds(record.startup);
  const auto gradients = static_cast<double>(record.gradients);
  const TrainingSpec& training = record.scenario_case.scenario.training;
  const auto examples = static_cast<double>(training.examples_a_gradient());
  summary.examples_per_s = rate(gradients * examples, summary.time_s);
  summary.gradients_per_s = rate(gradients, summary.time_s);
  if (record.counted) summarize_counted(record, summary);
  summary.updates_per_s = rate(static_cast<double>(record.updates), summary.time_s);
  summarize_steps(record, summary);
  const EvalReport* first = first_reaching(record.evals, training.until);
  if (first != nullptr) {
    // The last update may be applied before the chief receives it.
    summary.time_to_target_s = seconds(std::min(first->time - Instant{}, record.time));
  }
  const Duration evaluation = evaluation_before(record, nullptr);
  summary.evaluate_s = seconds(evaluation);
  summary.bare_examples_per_s = rate(gradients * examples, seconds(record.time - evaluation));
  summary.bare_time_to_target_s = interpolated_time_to_target_s(record, EvaluationTime::left_out);
  for (const EvalReport& e : record.evals) {
    if (!e.final) continue;
    summary.final_loss = known_value(e.loss);
    summary.test_accuracy = known_value(e.accuracy);
    summary.test_auc = known_value(e.auc);
  }
  for (const NodeTotals& node : record.nodes) {
    summary.bytes_sent += node.tx;
    summary.bytes_received += node.rx;
  }
  add_cost(record, summary);
  return summary;
}

std::optional<double> mean_staleness(const Record& record) {
  const TrainingSpec& training = record.scenario_case.scenario.training;
  if (protocol_called(training.strategy).synchronous) return std::nullopt;
  return summarize(record).staleness_mean;
}

Json to_json(const std::vector<Setting>& settings) {
  Json object = Json::object();
  for (const Setting& setting : settings) object[setting.key] = setting.value;
  return object;
}

Json summary_json(const Record& record, const NodeTotals& node) {
  Json json{{"role", node.role},
            {"host", node.host},
            {"core", node.core ? Json(*node.core) : Json()},
            {"cpu_percent", or_null(cpu_percent(record, node))},
            {"rss_bytes", or_null(node.rss)},
            {"tx_bytes", node.tx.value},
            {"rx_bytes", node.rx.value},
            {"nic_tx_bytes", or_null(node.nic_tx)},
            {"nic_rx_bytes", or_null(node.nic_rx)},
            {"local_bytes", or_null(node.local)},
            {"lost", node.lost.empty() ? Json() : Json(node.lost)}};
  for (const Absence& each : node.away) {
    json["away"].push_back({{"why", each.why},
                            {"left_s", (each.left - Instant{}).seconds()},
                            {"back_s", (each.back - Instant{}).seconds()}});
  }
  return json;
}

Json summary_json(const Record& record) {
  const Summary s = summarize(record);
  Json json;
  json["name"] = record.scenario_case.scenario.name;
  json["settings"] = to_json(record.scenario_case.settings);
  json["mode"] = name_of(record.mode);
  json["outcome"] = name_of(record.outcome);
  json["failure"] = or_null(record.failure);
  if (const auto told = caveats(record); !told.empty()) json["caveats"] = told;
  json["steps"] = s.steps;
  json["updates"] = s.updates;
  json["gradients"] = s.gradients;
  json["dropped"] = record.dropped;
  json["most_lead"] = record.most_lead;
  json["refused"] = record.refused;
  json["time_s"] = s.time_s;
  if (record.scenario_case.scenario.training.until.wanted()) {
    json["time_to_target_s"] = or_null(s.time_to_target_s);
    json["time_to_target_s_without_evaluation"] = or_null(s.bare_time_to_target_s);
  }
  if (s.evaluate_s > 0) {
    json["evaluate_s"] = s.evaluate_s;
    json["examples_per_s_without_evaluation"] = or_null(s.bare_examples_per_s);
  }
  if (s.cost) add_cost(s, json);
  json["startup_s"] = s.startup_s;
  json["step_time_s_median"] = or_null(s.step_time_s_median);
  json["examples_per_s"] = or_null(s.examples_per_s);
  json["gradients_per_s"] = or_null(s.gradients_per_s);
  json["updates_per_s"] = or_null(s.updates_per_s);
  json["final_loss"] = or_null(s.final_loss);
  json["test_accuracy"] = or_null(s.test_accuracy);
  json["test_auc"] = or_null(s.test_auc);
  json["staleness_mean"] = or_null(s.staleness_mean);
  json["weights_sha256"] = or_null(record.weights_sha256);
  json["kernel_set"] = or_null(record.kernel_set);
  json["uncalibrated"] = or_null(record.uncalibrated);
  if (!record.simulated.empty()) json["simulated"] = record.simulated;
  if (record.counted) add_counted(*record.counted, s, json);
  if (!record.basis.empty()) json["stands_on"] = basis_sentence(record);
  if (record.mode == Mode::simulate && s.step_time_s_median) {
    const ForecastRange range = forecast_range(record);
    json["step_time_s_low"] = *s.step_time_s_median * range.low;
    json["step_time_s_high"] = *s.step_time_s_median * range.high;
  }
  if (record.mode == Mode::run) json["others_used"] = or_null(record.others_used);
  json["bytes_sent"] = s.bytes_sent.value;
  json["bytes_received"] = s.bytes_received.value;
  json["phases"] = phases_json(s.phases);
  add_interruptions(record, json);
  json["nodes"] = Json::array();
  for (const ColocatedTotals& each : record.colocated_jobs) {
    json["neighbours"].push_back({{"name", each.name},
                                  {"steps", each.steps},
                                  {"done", each.done},
                                  {"failure", or_null(each.failure)}});
  }
  return json;
}

Json to_json(const Record& record) {
  Json json = summary_json(record);
  Json& nodes = json["nodes"];
  for (const NodeTotals& node : record.nodes) nodes.push_back(summary_json(record, node));
  return json;
}

std::string weights_sha256(std::span<const float> weights) {
  static_assert(std::endian::native == std::endian::little, "the hash is of little-endian floats");
  std::array<unsigned char, 32> digest{};
  const int done = EVP_Digest(weights.data(), weights.size_bytes(), digest.data(), nullptr,
                              EVP_sha256(), nullptr);
  FT_CHECK(done == 1);
  return fmt::format("{:02x}", fmt::join(digest, ""));
}

}  // namespace foretrain
