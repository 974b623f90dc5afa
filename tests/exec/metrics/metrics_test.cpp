// Metrics of a record in the format of Prometheus.
#include "exec/metrics/metrics.h"

#include "tests/exec/metrics/samples.h"
#include "tests/reports/support.h"
#include "tests/support/places.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <sys/wait.h>

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <regex>
#include <set>

namespace foretrain::exec {
namespace {

using namespace foretrain::testing;

std::string text_of(const Record& record) {
  Metrics metrics;
  metrics.follow(record, 100);
  return metrics.text();
}

TEST_CASE("metrics: the figures of a record, each with its node") {
  const auto samples = samples_of(text_of(small_record(Mode::run, "sync")));
  const auto value = [&](const std::string& name) {
    CAPTURE(name);
    const auto found = samples.find(name);
    REQUIRE(found != samples.end());
    return found->second;
  };
  const std::string first = R"(case="sync",node="worker0")";
  const std::string second = R"(case="sync",node="worker1")";
  CHECK(value(R"(foretrain_gradients_total{case="sync"})") == 4);
  CHECK(value(R"(foretrain_examples_total{case="sync"})") == 128);
  CHECK(value(R"(foretrain_steps_planned{case="sync"})") == 100);
  CHECK(value(R"(foretrain_test_accuracy{case="sync"})") == 0.875);
  CHECK(value(R"(foretrain_test_loss{case="sync"})") == 0.75);
  CHECK(value(R"(foretrain_evaluations_total{case="sync"})") == 2);
  CHECK(value("foretrain_steps_total{" + first + "}") == 2);
  CHECK(value("foretrain_loss{" + first + "}") == 1);
  CHECK(value("foretrain_staleness_updates_total{" + second + "}") == 4);
  CHECK(value("foretrain_phase_seconds_total{" + second + R"(,phase="wait"})") == Approx(0.014));
  // Steps of 10 and of 30 ms without the evaluation.
  const std::string buckets = "foretrain_step_time_seconds_bucket{" + first;
  CHECK(value(buckets + R"(,le="0.005"})") == 0);
  CHECK(value(buckets + R"(,le="0.01"})") == 1);
  CHECK(value(buckets + R"(,le="0.05"})") == 2);
  CHECK(value(buckets + R"(,le="+Inf"})") == 2);
  CHECK(value("foretrain_step_time_seconds_sum{" + first + "}") == Approx(0.04));
  CHECK(value("foretrain_sent_bytes_total{" + first + "}") == 300);
  CHECK(value("foretrain_interface_received_bytes_total{" + first + "}") == 370);
  CHECK(value("foretrain_resident_memory_bytes{" + first + "}") == 900'000);
  CHECK(value("foretrain_cpu_seconds_total{" + first + R"(,mode="system"})") == 0.01);
  CHECK(value(R"(foretrain_node_up{case="sync",node="server0"})") == 1);
  CHECK(samples.count(R"(foretrain_resident_memory_bytes{case="sync",node="server0"})") == 0);
  CHECK(samples.count(R"(foretrain_steps_total{case="sync",node="server0"})") == 0);
}

TEST_CASE("metrics: they follow a record row by row, and begin anew with each case") {
  const Record whole = small_record(Mode::run, "sync");
  Record growing = whole;
  growing.steps.clear();
  growing.usage.clear();
  growing.evals.clear();
  Metrics metrics;
  CHECK(metrics.text().empty());
  metrics.follow(growing, 100);
  const auto before = samples_of(metrics.text());
  CHECK(before.at(R"(foretrain_gradients_total{case="sync"})") == 0);
  CHECK(before.count(R"(foretrain_test_loss{case="sync"})") == 0);
  for (const StepRow& row : whole.steps) {
    growing.steps = {row};
    metrics.follow(growing, 100);
  }
  growing.steps.clear();
  growing.usage = whole.usage;
  growing.evals = whole.evals;
  metrics.follow(growing, 100);
  CHECK(metrics.text() == text_of(whole));
  metrics.begin();
  const Record other = small_record(Mode::run, "async");
  metrics.follow(other, 100);
  CHECK(metrics.text() == text_of(other));
}

TEST_CASE("metrics: sums of rows that make no sense stay the largest that there are") {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  Record record = small_record(Mode::run, "sync");
  for (StepRow& row : record.steps) row.report.staleness = kMost;
  for (UsageRow& row : record.usage) row.node = 0;
  for (UsageRow& row : record.usage) row.tx = row.nic_rx = {kMost};
  const auto samples = samples_of(text_of(record));
  const std::string first = R"({case="sync",node="worker0"})";
  const auto most = static_cast<double>(kMost);
  CHECK(samples.at("foretrain_staleness_updates_total" + first) == most);
  CHECK(samples.at("foretrain_sent_bytes_total" + first) == most);
  CHECK(samples.at("foretrain_interface_received_bytes_total" + first) == most);
}

TEST_CASE("metrics: a node that was lost is down, names from outside stay labels") {
  Record record = small_record(Mode::run, "sync");
  record.nodes[1].lost = "was killed by signal 9";
  record.scenario_case.settings.push_back({"dataset.path", "a \"b\"\\c\nd"});
  const std::string text = text_of(record);
  CHECK(text.find(R"(path=a \"b\"\\c d",node="worker1"} 0)") != std::string::npos);
  CHECK(text.find("\n d") == std::string::npos);
}

TEST_CASE("metrics: every family has its help, its type, in front of its samples") {
  std::set<std::string> described;
  std::istringstream lines(text_of(small_record(Mode::run, "sync")));
  for (std::string line; std::getline(lines, line);) {
    std::smatch parts;
    if (std::regex_match(line, parts, std::regex("# TYPE (foretrain_[a-z_]+) [a-z]+"))) {
      CHECK(described.insert(parts[1]).second);
    } else if (line[0] != '#') {
      const std::string name = family_of(line.substr(0, line.find('{')));
      CAPTURE(line);
      CHECK(described.count(name) == 1);
    }
  }
  CHECK(described.size() > 20);
}

TEST_CASE("metrics: Prometheus finds no fault with the text") {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "metrics").string();
  write_text(file, text_of(small_record(Mode::run, "sync")));
  const std::string out = (folder.path() / "out").string();
  const int status =
      std::system(fmt::format("promtool check metrics <'{}' >'{}' 2>&1", file, out).c_str());
  if (WEXITSTATUS(status) == 127) {
    WARN("skipped: there is no promtool here (Debian: prometheus)");
    return;
  }
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(read_text(out).empty());
}

TEST_CASE("metrics: every query of the dashboard names a metric that exists") {
  Record record = small_record(Mode::run, "sync");
  record.evals.back().auc = 0.5;
  std::set<std::string> known;
  for (const auto& [sample, value] : samples_of(text_of(record))) {
    known.insert(sample.substr(0, sample.find('{')));
  }
  const auto dashboard =
      nlohmann::json::parse(read_text(source_dir() + "/exec/metrics/grafana.json"));
  std::set<std::string> asked;
  const std::regex metric("foretrain_[a-z_]+");
  const auto ask = [&](const std::string& query) {
    CAPTURE(query);
    auto found = std::sregex_iterator(query.begin(), query.end(), metric);
    CHECK(found != std::sregex_iterator());
    for (; found != std::sregex_iterator(); ++found) {
      CHECK(known.count(found->str()) == 1);
      asked.insert(found->str());
    }
  };
  for (const auto& panel : dashboard.at("panels")) {
    CHECK_FALSE(panel.at("title").get<std::string>().empty());
    for (const auto& target : panel.at("targets")) ask(target.at("expr"));
  }
  for (const auto& variable : dashboard.at("templating").at("list")) {
    if (variable.at("type") == "query") ask(variable.at("query").at("query"));
  }
  CHECK(asked.size() > 10);
}

}  // namespace
}  // namespace foretrain::exec
