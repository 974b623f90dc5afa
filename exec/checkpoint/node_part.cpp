#include "exec/checkpoint/node_part.h"

#include "exec/checkpoint/durable_file.h"
#include "exec/checkpoint/resharding.h"
#include "reports/record/whole_number.h"
#include "scenarios/language/input_error.h"
#include "scenarios/resolve/make_training.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>

namespace foretrain::exec {
namespace {

nlohmann::json part_json(const Part& part) {
  return {{"node", part.role},           {"bytes", part.size},
          {"sha256", part.sha256},       {"reported", part.reported},
          {"evaluated", part.evaluated}, {"gradients", part.gradients}};
}

Part part_of(const nlohmann::json& json) {
  return {json.at("node"),
          whole_at(json, "bytes"),
          json.at("sha256"),
          whole_at(json, "reported"),
          whole_at(json, "evaluated"),
          whole_at(json, "gradients")};
}

}  // namespace

std::string NodePart::state_of(NodeId id, const Prepared& prepared) const {
  if (servers.empty()) return read_part(from, cut, part);
  const Training& training = *prepared.training;
  const auto before = std::make_shared<const Layout>(
      layout_of(prepared.scenario_case.scenario, training, static_cast<int>(std::ssize(servers))));
  const int shard = static_cast<int>(index_of(id)) - training.workers;
  return gathered_state(training, shard, before, [&](int held_by) {
    return read_part(from, cut, servers[static_cast<std::size_t>(held_by)]);
  });
}

void NodePart::restore(Node& node, NodeId id, const Prepared& prepared) const {
  if (!goes_on()) return;
  try {
    const std::string text = state_of(id, prepared);
    StateReader state(text);
    node.restore(state);
  } catch (const StateError& error) {
    const std::filesystem::path place =
        servers.empty() ? file_of_part(from, cut, part.role) : folder_of_cut(from, cut);
    throw InputError(
        fmt::format("{}: does not fit this training: {}", place.string(), error.what()));
  }
}

WrittenPart NodePart::write(const SaveState& keep) const {
  WrittenPart written;
  written.cut = keep.cut;
  written.part.role = role;
  written.part.reported = keep.reported.value;
  written.part.evaluated = keep.evaluated;
  written.part.gradients = keep.gradients;
  const auto begin = std::chrono::steady_clock::now();
  try {
    const std::string text = keep.state();
    written.part.size = std::ssize(text);
    written.part.sha256 = sha256_of(text);
    write_durably(file_of_part(folder, keep.cut, role), text);
  } catch (const std::exception& error) {
    written.wrong = error.what();
  }
  const auto took = std::chrono::steady_clock::now() - begin;
  written.took = {std::chrono::duration_cast<std::chrono::nanoseconds>(took).count()};
  return written;
}

void NodePart::remove_before(std::int64_t outdated) const {
  if (!folder.empty()) remove_parts_before(folder, outdated, role);
}

nlohmann::json to_json(const NodePart& part) {
  nlohmann::json servers = nlohmann::json::array();
  for (const Part& each : part.servers) servers.push_back(part_json(each));
  return {{"folder", part.folder.string()}, {"role", part.role},
          {"from", part.from.string()},     {"cut", part.cut},
          {"part", part_json(part.part)},   {"servers", servers}};
}

NodePart node_part_of(const nlohmann::json& json) {
  NodePart part;
  part.folder = json.at("folder").get<std::string>();
  part.role = json.at("role");
  part.from = json.at("from").get<std::string>();
  part.cut = whole_at(json, "cut");
  part.part = part_of(json.at("part"));
  for (const nlohmann::json& each : json.at("servers")) part.servers.push_back(part_of(each));
  return part;
}

nlohmann::json to_json(const WrittenPart& written) {
  return {{"cut", written.cut},
          {"part", part_json(written.part)},
          {"took_ns", written.took.ns},
          {"wrong", written.wrong}};
}

WrittenPart written_part_of(const nlohmann::json& json) {
  return {whole_at(json, "cut"),
          part_of(json.at("part")),
          {whole_at(json, "took_ns")},
          json.at("wrong")};
}

}  // namespace foretrain::exec
