// Quantities of a record, calculated by hand.
#include "reports/studies/measured/measured_quantity.h"

#include <catch2/catch.hpp>

#include <string>

namespace foretrain {
namespace {

/// Two hosts with four cores; worker and server on the first. 10 s, 3 s of them start-up.
Record hand_made() {
  Record record;
  record.mode = Mode::simulate;
  Scenario& scenario = record.scenario_case.scenario;
  scenario.training.strategy = "sync";
  scenario.training.workers = 2;
  scenario.training.batch_size = 50;
  scenario.training.epochs = 4;
  scenario.framework.session_start = Duration::from_seconds(1);
  HostSpec host;
  host.name = "node";
  host.count = 2;
  host.cores = 4;
  scenario.cluster.hosts = {host};
  record.time = Duration::from_seconds(10);
  record.startup = Duration::from_seconds(3);
  record.updates = 500;
  record.gradients = 1000;
  NodeTotals node;
  node.nic_tx = Bytes{1448 * 200};
  node.nic_rx = Bytes{1448 * 100};
  const auto add = [&](const char* role, const char* place, double cpu_s, std::int64_t rss) {
    node.role = role;
    node.host = place;
    node.cpu_s = cpu_s;
    node.rss = Bytes{rss};
    record.nodes.push_back(node);
  };
  add("worker0", "node0", 10, 100'000'000);
  node.nic_tx = Bytes{1448 * 50};
  add("worker1", "node1", 6, 90'000'000);
  node.nic_tx = Bytes{1448 * 200};
  add("server0", "node0", 2, 20'000'000);
  StepRow step;
  step.report.phases.compute = Duration::from_seconds(0.02);
  record.steps = {step};
  return record;
}

TEST_CASE("measured quantities: each is what its table says") {
  const auto [quantity, node, value] = GENERATE(table<std::string, std::string, double>({
      {"time", "", 13},
      {"time_evaluated", "", 13},
      {"epoch_time", "", 2.5},
      {"time_per_1000", "", 20},
      {"step_time", "", 0.02},
      {"throughput", "", 5000},
      {"chief_wait", "", 2},
      {"cpu", "0", 12.0 / 40},
      {"cpu", "1", 6.0 / 40},
      {"cpu_cores", "0", 1.2},
      {"worker_cpu", "1", 0.6},
      {"memory", "0", 120e6},
      {"memory", "server", 120e6},
      {"worker_memory", "0", 100e6},
      {"sent", "0", 1448 * 20},
      {"received", "1", 1448 * 10},
      {"sent_received", "0", 1448 * 30},
      {"sent_bytes", "0", 1448 * 200},
      {"sent_packets", "0", 20 + 5},
      {"received_packets", "0", 10 + 10},
      {"sent_ratio", "0", 4},
      {"images_shipped", "", 5000 * 3176},
  }));
  CAPTURE(quantity, node);
  CHECK(quantity_of(quantity, hand_made(), node).value() == Approx(value));
}

TEST_CASE("measured quantities: what is not there is not known") {
  CHECK(!quantity_of("cpu", hand_made(), "7"));
  CHECK(!quantity_of("test_accuracy", hand_made(), ""));
  CHECK(!is_quantity("speed"));
}

TEST_CASE("measured quantities: one training stands for nodes that each train by themselves") {
  Record record = hand_made();
  record.nodes.resize(1);
  CHECK(quantity_of("worker_cpu", record, "2").value() == Approx(1));
  CHECK(!quantity_of("worker_cpu", record, "server"));
}

TEST_CASE("measured quantities: each has units of its own dimension") {
  CHECK(in_unit(120, "min") == 2);
  CHECK(in_unit(0.5, "percent") == 50);
  CHECK(in_unit(1e6, "Mbit/s") == Approx(8));
  CHECK(in_unit(1e3, "kbit/s") == Approx(8));
  CHECK(in_unit(7, "") == 7);
  CHECK(is_unit_of("ms", "step_time"));
  CHECK(!is_unit_of("images/s", "step_time"));
  CHECK(!is_unit_of("furlong", "time"));
  for (const auto name : quantity_names()) CHECK(!units_of(name).empty());
}

}  // namespace
}  // namespace foretrain
