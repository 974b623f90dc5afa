#include "exec/launch/control.h"

#include "reports/record/collector.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace foretrain::exec {

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

nlohmann::json json_of(const Payload& payload) { return nlohmann::json::parse(text_of(payload)); }

nlohmann::json to_json(const DatasetShape& shape) {
  const InputShape& input = shape.input;
  return {{"train_examples", shape.train_examples},
          {"test_examples", shape.test_examples},
          {"image", {input.image.rows, input.image.columns, input.image.channels}},
          {"sparse_features", input.sparse_features},
          {"sparse_entries", input.sparse_entries},
          {"classes", input.classes},
          {"features_mean", shape.features_mean}};
}

DatasetShape dataset_shape_of(const nlohmann::json& json) {
  DatasetShape shape;
  shape.train_examples = json.at("train_examples");
  shape.test_examples = json.at("test_examples");
  const auto& image = json.at("image");
  shape.input.image = {image.at(0), image.at(1), image.at(2)};
  shape.input.sparse_features = json.at("sparse_features");
  shape.input.sparse_entries = json.at("sparse_entries");
  shape.input.classes = json.at("classes");
  shape.features_mean = json.at("features_mean");
  return shape;
}

bool add_rows(Record& record, std::size_t id, ControlKind kind, const Payload& payload) {
  const auto append = [&]<class Row>(std::vector<Row>& rows) {
    const std::vector<Row> more = rows_of<Row>(payload);
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
  NodeEnd end_of_node;
  end_of_node.updates = json.at("updates");
  end_of_node.gradients = json.at("gradients");
  end_of_node.dropped = json.at("dropped");
  end_of_node.most_lead = json.at("most_lead");
  end_of_node.last_update = {json.at("last_update_ns")};
  end_of_node.weights_sha256 = json.at("weights_sha256");
  add_end(record, end_of_node);
  record.kernel_set = json.at("kernel_set");
  record.congestion_control = json.at("congestion_control");
  NodeTotals& totals = record.nodes[id];
  totals.cpu_s = json.at("cpu_s");
  totals.rss = {json.at("rss_bytes")};
  totals.tx = {json.at("tx_bytes")};
  totals.rx = {json.at("rx_bytes")};
  totals.messages_sent = json.at("messages_sent");
  record.refused += json.at("refused").get<std::int64_t>();
}

}  // namespace foretrain::exec
