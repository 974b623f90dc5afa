// Maps the fields of a record to the keys of run.json.
#include "reports/record/run_json.h"

#include "reports/record/summary.h"
#include "scenarios/resolve/read.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace foretrain {
namespace {

using Json = nlohmann::ordered_json;

Json known_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json known_or_null(std::optional<Bytes> bytes) { return bytes ? Json(bytes->value) : Json(); }

Json place_json(const NodeTotals& node) {
  return {{"host", node.host}, {"core", node.core ? Json(*node.core) : Json()}};
}

Json away_json(const std::vector<Absence>& away) {
  Json array = Json::array();
  for (const Absence& each : away) {
    array.push_back({{"why", each.why}, {"left_ns", each.left.ns}, {"back_ns", each.back.ns}});
  }
  return array;
}

Json totals_json(const NodeTotals& node) {
  Json json{{"role", node.role},
            {"cpu_s", node.cpu_s},
            {"rss_bytes", known_or_null(node.rss)},
            {"tx_bytes", node.tx.value},
            {"rx_bytes", node.rx.value},
            {"nic_tx_bytes", known_or_null(node.nic_tx)},
            {"nic_rx_bytes", known_or_null(node.nic_rx)},
            {"messages_sent", node.messages_sent},
            {"undelivered_bytes", known_or_null(node.undelivered)},
            {"local_bytes", known_or_null(node.local)},
            {"lost", known_or_null(node.lost)}};
  if (!node.away.empty()) json["away"] = away_json(node.away);
  return json;
}

Json colocated_json(const std::vector<ColocatedTotals>& colocated_jobs) {
  Json array = Json::array();
  for (const ColocatedTotals& each : colocated_jobs) {
    array.push_back({{"name", each.name},
                     {"steps", each.steps},
                     {"done", each.done},
                     {"failure", known_or_null(each.failure)},
                     {"scenario", each.scenario}});
  }
  return array;
}

Json step_totals_json(const StepTotals& totals) {
  Json json{{"steps", totals.steps}};
  for (const auto& [name, of] : kPhases<Duration>) {
    json[fmt::format("{}_ns", name)] = (totals.sum.*of).ns;
  }
  json["staleness"] = totals.staleness;
  json["median_ns"] = totals.median.ns;
  json["by_worker"] = totals.by_worker;
  json["first_loss"] = totals.first_loss;  // null if it is NaN
  json["last_loss"] = totals.last_loss;
  return json;
}

Json reference_json(const ReferenceTimes& times) {
  return {{"median_ns", times.median.ns},
          {"fastest_ns", times.fastest.ns},
          {"slowest_ns", times.slowest.ns}};
}

Json calibrated_json(const CoresSeen& seen) {
  return {{"alone", reference_json(seen.alone)}, {"together", reference_json(seen.together)}};
}

Json basis_json(const std::vector<ComputeBasis>& basis) {
  Json array = Json::array();
  for (const ComputeBasis& each : basis) {
    Json& written = array.emplace_back(Json{{"from", name_of(each.from)},
                                            {"of", known_or_null(each.of)},
                                            {"date", known_or_null(each.date)},
                                            {"spread", each.spread},
                                            {"jitter", each.jitter},
                                            {"unasked", each.unasked},
                                            {"hosts", each.hosts}});
    if (each.others_used > 0) written["others_used"] = each.others_used;
  }
  return array;
}

Json counted_json(const CountedTotals& counted) {
  Json json{{"parameters", counted.parameters},
            {"tokens", counted.tokens},
            {"flops", counted.flops},
            {"peak_flops_per_s", counted.peak},
            {"would_fit", known_or_null(counted.would_fit)}};
  for (const auto& [name, of] : kDeviceMemoryParts) json[name] = (counted.memory.*of).value;
  return json;
}

/// Prints as dump(2) does, for a value at nesting depth `level`.
std::string printed(const Json& json, std::size_t level) {
  // Names may contain invalid UTF-8, which is replaced; else no record could be written.
  const std::string text = json.dump(2, ' ', false, Json::error_handler_t::replace);
  std::string indented;
  indented.reserve(2 * text.size());
  for (const char c : text) {
    indented += c;
    if (c == '\n') indented.append(2 * level, ' ');
  }
  return indented;
}

/// Prints a list at depth `level` as dump(2) does: `item` appends each item between `brackets`.
template <class Items, class AppendItem>
void append_list(std::string& text, std::string_view brackets, std::size_t level,
                 const Items& items, const AppendItem& append_item) {
  text += brackets.front();
  const char* separator = "\n";
  for (const auto& item : items) {
    text += std::exchange(separator, ",\n");
    text.append(2 * (level + 1), ' ');
    append_item(item);
  }
  if (*separator == ',') text.append("\n").append(2 * level, ' ');
  text += brackets.back();
}

/// The text of `json`, whose lists of nodes are empty, with all nodes filled in. For very many
/// nodes a complete JSON document would need several times the memory of its text.
std::string text_of(const Json& json, const Record& record) {
  std::string text;
  const auto append_key = [&](const std::string& key) { text += printed(key, 0) + ": "; };
  const auto append_summary = [&](const Json& summary) {
    append_list(text, "{}", 1, summary.get_ref<const Json::object_t&>(), [&](const auto& member) {
      append_key(member.first);
      if (member.first != "nodes") {
        text += printed(member.second, 2);
        return;
      }
      append_list(text, "[]", 2, record.nodes,
                  [&](const NodeTotals& node) { text += printed(summary_json(record, node), 3); });
    });
  };
  append_list(text, "{}", 0, json.get_ref<const Json::object_t&>(), [&](const auto& member) {
    const auto& [key, value] = member;
    append_key(key);
    if (key == "placement") {
      append_list(text, "{}", 1, record.nodes, [&](const NodeTotals& node) {
        append_key(node.role);
        text += printed(place_json(node), 2);
      });
    } else if (key == "nodes") {
      append_list(text, "[]", 1, record.nodes,
                  [&](const NodeTotals& node) { text += printed(totals_json(node), 2); });
    } else if (key == "summary") {
      append_summary(value);
    } else {
      text += printed(value, 1);
    }
  });
  return text;
}

}  // namespace

std::string run_json(const Record& record, RowsKept kept, const std::optional<RowCounts>& rows) {
  Json json;
  json["foretrain_record"] = kRecordFormat;
  json["program"] = FORETRAIN_VERSION;
  json["mode"] = name_of(record.mode);
  json["outcome"] = name_of(record.outcome);
  json["failure"] = known_or_null(record.failure);
  json["settings"] = to_json(record.scenario_case.settings);
  json["machine"] = known_or_null(record.machine);
  json["uncalibrated"] = known_or_null(record.uncalibrated);
  if (!record.basis.empty()) json["basis"] = basis_json(record.basis);
  if (!record.simulated.empty()) json["simulated"] = record.simulated;
  if (record.counted) json["counted"] = counted_json(*record.counted);
  if (record.disk_assumed) json["disk_assumed"] = true;
  if (record.calibrated.known()) json["calibrated"] = calibrated_json(record.calibrated);
  if (!record.alone_s.empty()) json["gradient_alone_s"] = record.alone_s;
  if (record.others_used) json["others_used"] = *record.others_used;
  json["kernel_set"] = known_or_null(record.kernel_set);
  json["congestion_control"] = known_or_null(record.congestion_control);
  json["placement"] = Json::object();  // filled in node by node, like `nodes` here and in `summary`
  json["totals"] = {{"time_ns", record.time.ns}, {"startup_ns", record.startup.ns},
                    {"updates", record.updates}, {"gradients", record.gradients},
                    {"dropped", record.dropped}, {"most_lead", record.most_lead},
                    {"refused", record.refused}};
  if (const CheckpointTotals& of = record.checkpoints; of.count > 0) {
    json["checkpoints"] = {{"count", of.count}, {"bytes", of.size.value}, {"time_ns", of.time.ns}};
  }
  if (!record.run.empty()) json["run"] = record.run;
  if (!record.resumed.empty()) json["resumed"] = record.resumed;
  if (const RestartTotals& of = record.restarts; of.count > 0) {
    json["restarts"] = {{"count", of.count},
                        {"lost_steps", of.lost_steps},
                        {"lost_ns", of.lost.ns},
                        {"down_ns", of.down.ns}};
  }
  if (record.ended.ns != 0) json["ended_ns"] = record.ended.ns;
  json["weights_sha256"] = known_or_null(record.weights_sha256);
  json["nodes"] = Json::array();
  if (!record.colocated_jobs.empty()) json["neighbours"] = colocated_json(record.colocated_jobs);
  if (kept == RowsKept::summary) {
    json["step_totals"] = step_totals_json(record.step_totals.value_or(StepTotals{}));
  }
  json["rows"] =
      rows ? Json{{"steps", rows->steps}, {"evals", rows->evals}, {"usage", rows->usage}} : Json();
  json["summary"] = summary_json(record);
  json["scenario"] = to_yaml(record.scenario_case.scenario);
  return text_of(json, record) + "\n";
}

}  // namespace foretrain
