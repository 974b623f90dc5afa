// Reads a record from the keys of run.json, which run_json.cpp writes.
#include "reports/record/json_object.h"
#include "reports/record/run_json.h"
#include "scenarios/resolve/read.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cmath>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace foretrain {
namespace {

using Json = nlohmann::ordered_json;

std::vector<ComputeBasis> parse_basis(const JsonObject& reader) {
  using From = ComputeBasis::From;
  constexpr std::array kFroms{From::calibrated, From::written, From::described, From::given,
                              From::profile,    From::fitted,  From::counted};
  std::vector<ComputeBasis> basis;
  for (const Json& element : reader.array("basis")) {
    const JsonObject each(element, reader.path("basis"));
    if (!each.at("unasked").is_boolean()) each.fail("unasked: is neither true nor false");
    ComputeBasis& read = basis.emplace_back();
    read.from = each.one_of("from", kFroms);
    read.of = each.text("of");
    read.date = each.text("date");
    read.spread = each.number("spread");
    read.jitter = each.number("jitter");
    // Unknown values are written as zero, never as null.
    if (!std::isfinite(read.spread)) each.fail("spread: is not a number");
    if (!std::isfinite(read.jitter)) each.fail("jitter: is not a number");
    read.unasked = each.at("unasked").get<bool>();
    if (each.has("others_used")) read.others_used = each.number("others_used");
    if (!std::isfinite(read.others_used)) each.fail("others_used: is not a number");
    for (const Json& host : each.array("hosts")) {
      if (!host.is_string()) each.fail("hosts: an item is not a text");
      read.hosts.push_back(host.get<std::string>());
    }
  }
  return basis;
}

CountedTotals parse_counted(const JsonObject& json) {
  CountedTotals counted;
  counted.parameters = json.integer("parameters");
  counted.tokens = json.integer("tokens");
  counted.flops = json.number("flops");
  counted.peak = json.number("peak_flops_per_s");
  counted.would_fit = json.text("would_fit");
  for (const auto& [name, of] : kDeviceMemoryParts) counted.memory.*of = {json.integer(name)};
  return counted;
}

std::vector<Absence> parse_away(const JsonObject& node) {
  std::vector<Absence> away;
  for (const Json& element : node.array("away")) {
    const JsonObject each(element, node.path("away"));
    away.push_back({each.text("why"), {each.integer("left_ns")}, {each.integer("back_ns")}});
  }
  return away;
}

std::optional<Bytes> optional_bytes(const JsonObject& node, const char* key) {
  const auto count = node.optional_integer(key);
  return count ? std::optional(Bytes{*count}) : std::nullopt;
}

std::vector<NodeTotals> parse_nodes(const JsonObject& reader) {
  std::vector<NodeTotals> nodes;
  const JsonObject placement = reader.object("placement");
  // An index by role: a lookup in the object itself would be linear for each node.
  std::unordered_map<std::string_view, const Json*> places;
  for (const auto& [role, place] : reader.at("placement").get_ref<const Json::object_t&>()) {
    places.emplace(role, &place);
  }
  nodes.reserve(reader.array("nodes").size());
  for (const Json& element : reader.array("nodes")) {
    const JsonObject node(element, reader.path("nodes"));
    NodeTotals& totals = nodes.emplace_back();
    totals.role = node.text("role");
    const auto found = places.find(totals.role);
    if (found == places.end()) placement.fail(fmt::format("has no `{}`", totals.role));
    const JsonObject place(*found->second, placement.path(totals.role.c_str()));
    totals.host = place.text("host");
    if (const auto core = place.optional_integer("core")) totals.core = static_cast<int>(*core);
    totals.cpu_s = node.number("cpu_s");
    totals.rss = optional_bytes(node, "rss_bytes");
    totals.tx = {node.integer("tx_bytes")};
    totals.rx = {node.integer("rx_bytes")};
    totals.nic_tx = optional_bytes(node, "nic_tx_bytes");
    totals.nic_rx = optional_bytes(node, "nic_rx_bytes");
    totals.messages_sent = node.integer("messages_sent");
    totals.undelivered = optional_bytes(node, "undelivered_bytes");
    totals.local = optional_bytes(node, "local_bytes");
    totals.lost = node.text("lost");
    if (element.contains("away")) totals.away = parse_away(node);
  }
  return nodes;
}

std::vector<ColocatedTotals> parse_colocated_jobs(const JsonObject& reader) {
  std::vector<ColocatedTotals> colocated_jobs;
  for (const Json& element : reader.array("neighbours")) {
    const JsonObject each(element, reader.path("neighbours"));
    colocated_jobs.push_back({each.text("name"), each.text("scenario"), each.integer("steps"),
                              each.flag("done"), each.text("failure")});
  }
  return colocated_jobs;
}

std::vector<std::int64_t> parse_steps_of(const JsonObject& reader, const char* key) {
  std::vector<std::int64_t> steps;
  for (const Json& element : reader.array(key)) {
    if (!element.is_number_integer())
      reader.fail(fmt::format("{}: an item is not a whole number", key));
    steps.push_back(element.get<std::int64_t>());
  }
  return steps;
}

std::vector<double> parse_alone(const JsonObject& reader) {
  std::vector<double> alone_s;
  for (const Json& element : reader.array("gradient_alone_s")) {
    if (!element.is_number()) reader.fail("gradient_alone_s: an item is not a number");
    alone_s.push_back(element.get<double>());
  }
  return alone_s;
}

ReferenceTimes parse_reference(const JsonObject& reader) {
  return {{reader.integer("median_ns")},
          {reader.integer("fastest_ns")},
          {reader.integer("slowest_ns")}};
}

CoresSeen parse_calibrated(const JsonObject& reader) {
  CoresSeen seen;
  seen.alone = parse_reference(reader.object("alone"));
  seen.together = parse_reference(reader.object("together"));
  return seen;
}

StepTotals parse_step_totals(const JsonObject& reader) {
  StepTotals totals;
  totals.steps = reader.integer("steps");
  for (const auto& [name, of] : kPhases<Duration>) {
    totals.sum.*of = {reader.integer(fmt::format("{}_ns", name).c_str())};
  }
  totals.staleness = reader.integer("staleness");
  totals.median = {reader.integer("median_ns")};
  if (!reader.has("by_worker")) return totals;  // from an older program
  totals.by_worker = parse_steps_of(reader, "by_worker");
  totals.first_loss = reader.number("first_loss");
  totals.last_loss = reader.number("last_loss");
  return totals;
}

Case parse_case(const JsonObject& reader, const std::string& source) {
  auto cases = parse_scenario(reader.text("scenario"), source + ": scenario");
  if (cases.size() != 1) reader.fail("scenario: has a sweep, but a record is of one case");
  Case scenario_case = std::move(cases.front());
  const Json& settings = reader.at("settings");
  if (!settings.is_object()) reader.fail("settings: is not an object");
  for (const auto& [key, value] : settings.items()) {
    if (!value.is_string())
      reader.fail(fmt::format("settings: {} is not a text", shown_in_message(value)));
    scenario_case.settings.push_back({key, value.get<std::string>()});
  }
  return scenario_case;
}

void check_format(const Json& json, const std::string& source) {
  const auto format = json.is_object() ? json.find("foretrain_record") : json.end();
  if (!json.is_object() || format == json.end()) {
    throw InputError(
        fmt::format("{}: has no `foretrain_record`, so it is no record of a training", source));
  }
  if (*format != kRecordFormat) {
    const auto program = json.find("program");
    const bool named = program != json.end() && program->is_string();
    throw InputError(fmt::format(
        "{}: a record of version {}, this program reads version {}; it was written by foretrain {}",
        source, shown_in_message(*format), kRecordFormat,
        named ? program->get<std::string>() : "of another version"));
  }
}

}  // namespace

RunJson parse_run_json(std::string_view text, const std::string& source) {
  const Json json = parse_json(text, source);
  check_format(json, source);
  const JsonObject reader(json, source + ":");
  RunJson result;
  Record& record = result.record;
  record.mode = reader.one_of("mode", std::array{Mode::run, Mode::simulate});
  record.outcome =
      reader.one_of("outcome", std::array{Outcome::done, Outcome::failed, Outcome::interrupted});
  record.failure = reader.text("failure");
  record.machine = reader.text("machine");
  record.uncalibrated = reader.text("uncalibrated");
  if (json.contains("basis")) record.basis = parse_basis(reader);
  if (json.contains("simulated")) record.simulated = reader.text("simulated");
  if (json.contains("counted")) record.counted = parse_counted(reader.object("counted"));
  if (json.contains("disk_assumed")) record.disk_assumed = reader.flag("disk_assumed");
  if (json.contains("calibrated")) {
    record.calibrated = parse_calibrated(reader.object("calibrated"));
  }
  if (json.contains("gradient_alone_s")) record.alone_s = parse_alone(reader);
  if (json.contains("others_used")) {
    record.others_used = reader.number("others_used");
    if (!(*record.others_used >= 0 && *record.others_used <= 1)) {
      reader.fail("others_used: is not a share from 0 to 1");
    }
  }
  record.kernel_set = reader.text("kernel_set");
  record.congestion_control = reader.text("congestion_control");
  record.weights_sha256 = reader.text("weights_sha256");
  const JsonObject totals = reader.object("totals");
  record.time = {totals.integer("time_ns")};
  record.startup = {totals.integer("startup_ns")};
  record.updates = totals.integer("updates");
  record.gradients = totals.integer("gradients");
  record.dropped = totals.integer("dropped");
  record.most_lead = totals.integer("most_lead");
  record.refused = totals.integer("refused");
  if (json.contains("checkpoints")) {
    const JsonObject of = reader.object("checkpoints");
    record.checkpoints = {of.integer("count"), {of.integer("bytes")}, {of.integer("time_ns")}};
  }
  if (json.contains("run")) record.run = reader.text("run");
  if (json.contains("resumed")) record.resumed = parse_steps_of(reader, "resumed");
  if (json.contains("restarts")) {
    const JsonObject of = reader.object("restarts");
    record.restarts = {of.integer("count"),
                       of.integer("lost_steps"),
                       {of.integer("lost_ns")},
                       {of.integer("down_ns")}};
  }
  if (json.contains("ended_ns")) record.ended = {reader.integer("ended_ns")};
  record.nodes = parse_nodes(reader);
  if (json.contains("neighbours")) record.colocated_jobs = parse_colocated_jobs(reader);
  if (json.contains("step_totals")) {
    record.step_totals = parse_step_totals(reader.object("step_totals"));
  }
  if (!reader.at("rows").is_null()) {
    const JsonObject rows = reader.object("rows");
    const auto count = [&](const char* key) { return static_cast<std::size_t>(rows.integer(key)); };
    result.rows = {count("steps"), count("evals"), count("usage")};
  }
  record.scenario_case = parse_case(reader, source);
  return result;
}

}  // namespace foretrain
