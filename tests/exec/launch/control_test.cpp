// Control messages of launchers, of nodes arrive unchanged.
#include "exec/launch/control.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstring>
#include <vector>

namespace foretrain::exec {
namespace {

template <class Row>
Payload payload_of(const std::vector<Row>& rows, std::size_t more = 0) {
  const std::size_t bytes = rows.size() * sizeof(Row);
  Payload payload = Payload::allocate({static_cast<std::int64_t>(bytes + more)});
  std::memcpy(payload.writable_bytes().data(), rows.data(), bytes);
  return payload;
}

TEST_CASE("control: the shape of a data set arrives as it was") {
  const DatasetShape images{60'000, 10'000, {.image = {28, 27, 3}, .classes = 10}, 0};
  const DatasetShape rows{7, 3, {{}, std::int64_t{1} << 30, 0.1 + 0.2, 2}, 1e2 / 3};
  for (const DatasetShape& shape : {images, rows}) {
    CHECK(dataset_shape_of(nlohmann::json::parse(to_json(shape).dump())) == shape);
  }
}

TEST_CASE("control: rows come out as they went in and a torn one is cut") {
  UsageRow row;
  row.node = 3;
  row.cpu_user_s = 0.25;
  row.tx = {77};
  const auto rows = rows_of<UsageRow>(payload_of<UsageRow>({row, row}, sizeof(UsageRow) - 1));
  REQUIRE(rows.size() == 2);
  CHECK(rows[1].node == 3);
  CHECK(rows[1].cpu_user_s == 0.25);
  CHECK(rows[1].tx == Bytes{77});
  CHECK(rows_of<UsageRow>(Payload::allocate({0})).empty());
}

TEST_CASE("control: a step is of the node that sent it, whoever else did") {
  Record record;
  StepReport step{{4}, {}, {}, 2, 0.5};
  CHECK(add_rows(record, 1, ControlKind::steps, payload_of<StepReport>({step})));
  step.step = {5};
  CHECK(add_rows(record, 0, ControlKind::steps, payload_of<StepReport>({step})));
  REQUIRE(record.steps.size() == 2);
  CHECK(record.steps[0].worker == 1);
  CHECK(record.steps[0].report.staleness == 2);
  CHECK(record.steps[1].worker == 0);
  CHECK(record.steps[1].report.step == Step{5});
}

TEST_CASE("control: rows that name another node, or are no values of their types, are refused") {
  Record record;
  record.nodes.resize(2);
  UsageRow usage;
  usage.node = 2;
  CHECK_THROWS_WITH(add_rows(record, 1, ControlKind::usage, payload_of<UsageRow>({usage})),
                    "it has a row of another node, 2");
  InputRow input;
  input.node = 7;
  CHECK_THROWS_WITH(add_rows(record, 1, ControlKind::inputs, payload_of<InputRow>({input})),
                    "it has a row of another node, 7");
  Payload neither = payload_of<EvalReport>({EvalReport{}});
  neither.writable_bytes()[offsetof(EvalReport, final)] = std::byte{2};
  CHECK_THROWS_WITH(add_rows(record, 1, ControlKind::evals, neither),
                    "it has an evaluation whose flag final is neither 0 nor 1");
  CHECK(record.usage.empty());
  CHECK(record.inputs.empty());
  CHECK(record.evals.empty());
}

TEST_CASE("control: what is no row is left to whoever knows it") {
  Record record;
  CHECK(!add_rows(record, 0, ControlKind::finished, Payload()));
  CHECK(!add_rows(record, 0, ControlKind::go, Payload()));
  CHECK(record == Record{});
}

nlohmann::json finished(std::int64_t updates, const std::string& weights) {
  return {{"updates", updates},   {"gradients", 9},      {"dropped", 1},
          {"most_lead", 2},       {"last_update_ns", 5}, {"weights_sha256", weights},
          {"kernel_set", "avx2"}, {"cpu_s", 0.5},        {"congestion_control", "reno"},
          {"rss_bytes", 100},     {"tx_bytes", 10},      {"rx_bytes", 20},
          {"messages_sent", 3},   {"refused", 1}};
}

TEST_CASE("control: who finished gives totals to its node and weights to the record") {
  Record record;
  record.nodes.resize(2);
  add_finished(record, 1, finished(8, ""));
  add_finished(record, 0, finished(0, "abcd"));
  CHECK(record.updates == 8);
  CHECK(record.weights_sha256 == "abcd");
  CHECK(record.refused == 2);
  CHECK(record.nodes[1].tx == Bytes{10});
  CHECK(record.nodes[1].messages_sent == 3);
  CHECK(record.nodes[0].rx == Bytes{20});
}

TEST_CASE("control: a total that no integer holds is refused") {
  Record record;
  record.nodes.resize(1);
  nlohmann::json large = finished(8, "");
  large["tx_bytes"] = 1e300;
  CHECK_THROWS_WITH(add_finished(record, 0, large), "tx_bytes: 1e+300 is not a whole number");
  CHECK(record.updates == 0);
  nlohmann::json shape = to_json(DatasetShape{});
  shape["train_examples"] = 1e300;
  CHECK_THROWS_WITH(dataset_shape_of(shape), "train_examples: 1e+300 is not a whole number");
}

TEST_CASE("control: totals with something missing are refused as a whole, before they count") {
  Record record;
  record.nodes.resize(1);
  nlohmann::json torn = finished(8, "");
  torn.erase("last_update_ns");
  CHECK_THROWS_AS(add_finished(record, 0, torn), nlohmann::json::exception);
  CHECK(record.updates == 0);
}

}  // namespace
}  // namespace foretrain::exec
