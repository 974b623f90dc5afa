#include "exec/checkpoint/node_part.h"

#include "exec/checkpoint/durable_file.h"
#include "reports/record/whole_number.h"
#include "scenarios/input_error.h"

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

void NodePart::restore(Node& node) const {
  if (!goes_on()) return;
  const std::string text = read_part(from, cut, part);
  try {
    StateReader state(text);
    node.restore(state);
  } catch (const StateError& error) {
    throw InputError(fmt::format("{}: is no state of this training: {}",
                                 file_of_part(from, cut, part.role).string(), error.what()));
  }
}

WrittenPart NodePart::write(const Keep& keep) const {
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

nlohmann::json to_json(const NodePart& part) {
  return {{"folder", part.folder.string()},
          {"role", part.role},
          {"from", part.from.string()},
          {"cut", part.cut},
          {"part", part_json(part.part)}};
}

NodePart node_part_of(const nlohmann::json& json) {
  NodePart part;
  part.folder = json.at("folder").get<std::string>();
  part.role = json.at("role");
  part.from = json.at("from").get<std::string>();
  part.cut = whole_at(json, "cut");
  part.part = part_of(json.at("part"));
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
