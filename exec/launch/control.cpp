#include "exec/launch/control.h"

#include "reports/record/collector.h"
#include "reports/record/whole_number.h"
#include "scenarios/language/file_errors.h"
#include "scenarios/language/input_error.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace foretrain::exec {
namespace {

void check_node(std::int64_t node, std::size_t id) {
  if (node != static_cast<std::int64_t>(id))
    throw BadValue(fmt::format("it has a row of another node, {}", node));
}
void check(const UsageRow& row, std::size_t id) { check_node(row.node, id); }
void check(const InputRow& row, std::size_t id) { check_node(row.node, id); }
void check(const EvalReport& row, std::size_t /*id*/) {
  // Read as a byte, since an invalid bool is what is looked for.
  const auto* bytes = reinterpret_cast<const std::byte*>(&row);
  if (bytes[offsetof(EvalReport, final)] <= std::byte{1}) return;
  throw BadValue("it has an evaluation whose flag final is neither 0 nor 1");
}

}  // namespace

void send_text(Connection& connection, ControlKind kind, NodeId from, std::string_view text) {
  FrameHeader header;
  header.kind = static_cast<std::uint16_t>(kind);
  header.from = index_of(from);
  header.payload_bytes = text.size();
  Payload payload = Payload::allocate({static_cast<std::int64_t>(text.size())});
  std::ranges::copy(std::as_bytes(std::span(text)), payload.writable_bytes().begin());
  connection.send(header, std::move(payload));
}

void send_json(Connection& connection, ControlKind kind, NodeId from, const nlohmann::json& json) {
  send_text(connection, kind, from, json.dump());
}

std::string_view text_of(const Payload& payload) {
  const auto bytes = payload.bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

nlohmann::json json_of(const Payload& payload) {
  const std::string_view text = text_of(payload);
  if (nested_too_deep(text)) throw BadValue("its JSON is nested too deep");
  return nlohmann::json::parse(text);
}

nlohmann::json to_json(const DatasetShape& shape) {
  const InputShape& input = shape.input;
  return {{"train_examples", shape.train_examples},
          {"test_examples", shape.test_examples},
          {"image", {input.image.rows, input.image.columns, input.image.channels}},
          {"sparse_features", input.sparse_features},
          {"sparse_entries", input.sparse_entries},
          {"sparse_fields", input.sparse_fields},
          {"classes", input.classes},
          {"features_mean", shape.features_mean}};
}

DatasetShape dataset_shape_of(const nlohmann::json& json) {
  DatasetShape shape;
  shape.train_examples = whole_at(json, "train_examples");
  shape.test_examples = whole_at(json, "test_examples");
  const auto& image = json.at("image");
  const auto size = [&](int i) { return static_cast<int>(whole(image.at(i), "image")); };
  shape.input.image = {size(0), size(1), size(2)};
  shape.input.sparse_features = whole_at(json, "sparse_features");
  shape.input.sparse_entries = json.at("sparse_entries");
  shape.input.sparse_fields = static_cast<int>(whole_at(json, "sparse_fields"));
  shape.input.classes = static_cast<int>(whole_at(json, "classes"));
  shape.features_mean = json.at("features_mean");
  return shape;
}

bool add_rows(Record& record, std::size_t id, ControlKind kind, const Payload& payload) {
  const auto append = [&]<class Row>(std::vector<Row>& rows) {
    const std::vector<Row> more = rows_of<Row>(payload);
    for (const Row& row : more) check(row, id);
    rows.insert(rows.end(), more.begin(), more.end());
    return true;
  };
  switch (kind) {
    case ControlKind::steps:
      for (const auto& row : rows_of<StepReport>(payload)) {
        record.steps.push_back({static_cast<int>(id), row});
      }
      return true;
    case ControlKind::evals:
      return append(record.evals);
    case ControlKind::usage:
      return append(record.usage);
    case ControlKind::inputs:
      return append(record.inputs);
    default:
      return false;
  }
}

void add_finished(Record& record, std::size_t id, const nlohmann::json& json) {
  // All fields are read before any of them is stored.
  NodeEnd end_of_node;
  end_of_node.updates = whole_at(json, "updates");
  end_of_node.gradients = whole_at(json, "gradients");
  end_of_node.dropped = whole_at(json, "dropped");
  end_of_node.most_lead = whole_at(json, "most_lead");
  end_of_node.last_update = {whole_at(json, "last_update_ns")};
  end_of_node.weights_sha256 = json.at("weights_sha256");
  NodeTotals totals = record.nodes[id];
  totals.cpu_s = json.at("cpu_s");
  totals.rss = Bytes{whole_at(json, "rss_bytes")};
  totals.tx = {whole_at(json, "tx_bytes")};
  totals.rx = {whole_at(json, "rx_bytes")};
  totals.messages_sent = whole_at(json, "messages_sent");
  const std::int64_t refused = saturated::sum(record.refused, whole_at(json, "refused"));
  const std::string kernel_set = json.at("kernel_set");
  record.congestion_control = json.at("congestion_control");
  record.kernel_set = kernel_set;
  record.nodes[id] = std::move(totals);
  record.refused = refused;
  add_end(record, end_of_node);
}

}  // namespace foretrain::exec
