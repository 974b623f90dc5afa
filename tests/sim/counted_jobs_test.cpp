// Networks known by their shape in virtual time, compared with sums by hand.
#include "reports/record/files.h"
#include "reports/record/summary.h"
#include "scenarios/language/reader.h"
#include "scenarios/library/library.h"
#include "scenarios/resolve/check_case.h"
#include "scenarios/resolve/counted_network.h"
#include "scenarios/resolve/prepared.h"
#include "scenarios/resolve/read.h"
#include "sim/driver/simulate.h"
#include "sim/whatif/intervention.h"
#include "tests/support/cases.h"
#include "tests/support/temp_folder.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>

namespace foretrain::testing {
namespace {
using namespace literals;

constexpr int kCountedSteps = 4;
constexpr double kGpt2Parameters = 124'439'808;  // GPT-2
constexpr double kDeviceRate = 1e12;             // bytes/s
// Adam with master weights in 32 bits: a gradient read, 12 bytes read and written, a copy written.
constexpr double kGpt2Update_s = kGpt2Parameters * (2 + 2 * 12 + 2) / (0.8 * kDeviceRate);
// Each of two workers adds the other's gradient to its own as it updates: two bytes more to read,
// in proportion to update_bytes_ratio, which is 2 here.
constexpr double kUpdateOfTwo_s = kGpt2Parameters * (28 + 2 * 2) / (0.8 * kDeviceRate);
constexpr double kToRounding = 1e-6;
constexpr double kToPadding = 1e-4;  // parts of buckets are equally long

/// GPT-2 on devices whose messages take no time.
class CountedJob {
 public:
  explicit CountedJob(int workers, const std::string& shard = "optimizer") {
    Scenario& s = c.scenario;
    s.name = "counted";
    s.model.network = "gpt2";
    s.model.sequence = 256;
    s.numerics = false;
    s.training.strategy = "all_reduce";
    s.training.workers = workers;
    s.training.shard = shard;
    s.training.batch_size = 2;
    s.training.steps = kCountedSteps;
    s.training.overlap = false;
    s.training.bucket_rule = "ddp";
    s.training.bucket_size = {25'000'000};
    s.training.optimizer.name = "adam";
    HostSpec host;
    host.name = "box";
    host.devices = workers;
    host.device.gflops = 20'000;
    host.device.memory_bandwidth = {kDeviceRate};
    host.device.memory = {16'000'000'000};
    host.device.precisions = {{"bf16", 100'000, 0.6, 50, 0.3}};
    host.nic = {1e15};
    s.cluster.hosts = {host};
    s.cluster.tcp = false;
  }

  [[nodiscard]] Record record(bool whole = true) const {
    sim::SimulateOptions options;
    options.usage_interval = {};
    options.whole = whole;
    options.machines = [](const std::string&) -> Machine { throw std::logic_error("not asked"); };
    Record record = testing::simulate(c, options);
    INFO(record.failure);
    REQUIRE(record.outcome == Outcome::done);
    return record;
  }
  [[nodiscard]] double step_s() const { return record().time.seconds() / kCountedSteps; }
  [[nodiscard]] Prepared prepared() const { return prepare(c, Need::shape); }
  /// Seconds of a gradient on a host's device.
  [[nodiscard]] double gradient_s(std::size_t host = 0) const {
    return prepared().counted->gradient_s(
        rates_of(c.scenario.cluster.hosts[host], c.scenario.model.precision));
  }
  HostSpec& host() { return c.scenario.cluster.hosts.front(); }

  Case c;
};

TEST_CASE("counted job: a step of one device is its passes and the update") {
  const CountedJob job(1);
  CHECK(job.step_s() == Approx(job.gradient_s() + kGpt2Update_s).epsilon(kToRounding));
}

TEST_CASE("counted job: two devices share the update unless each has all of the optimizer") {
  const CountedJob shared(2);
  CHECK(shared.step_s() == Approx(shared.gradient_s() + kUpdateOfTwo_s / 2).epsilon(kToPadding));
  const CountedJob replicated(2, "none");
  CHECK(replicated.step_s() == Approx(shared.gradient_s() + kUpdateOfTwo_s).epsilon(kToPadding));
  CHECK(replicated.record().nodes[0].tx == shared.record().nodes[0].tx);
}

TEST_CASE("counted job: recomputation takes the forward passes of the blocks again") {
  CountedJob job(1);
  const double none_s = job.step_s();
  double blocks_s = 0;
  const DeviceRates rates = rates_of(job.host(), "bf16");
  const Prepared prepared = job.prepared();
  for (const LayerWork& each : prepared.counted->layers) {
    if (each.recomputable) blocks_s += pass_times(each, rates, Recompute::none).forward_s;
  }
  job.c.scenario.training.recompute = "full";
  CHECK(job.step_s() == Approx(none_s + blocks_s).epsilon(kToRounding));
}

TEST_CASE("counted job: batches of a gradient take their passes each, one update") {
  CountedJob job(1);
  job.c.scenario.training.accumulate = 3;
  CHECK(job.step_s() == Approx(3 * job.gradient_s() + kGpt2Update_s).epsilon(kToRounding));
}

TEST_CASE("counted job: the slower of two hosts' devices decides") {
  CountedJob job(2);
  job.host().devices = 1;
  HostSpec slow = job.host();
  slow.name = "slow";
  slow.device.precisions = {{"bf16", 50'000, 0.4, 100, 0.2}};
  job.c.scenario.cluster.hosts.push_back(slow);
  CHECK(job.gradient_s(1) > 2 * job.gradient_s(0));
  CHECK(job.step_s() == Approx(job.gradient_s(1) + kUpdateOfTwo_s / 2).epsilon(kToPadding));
}

TEST_CASE("counted job: the time of a gradient that is given goes first") {
  CountedJob job(1);
  job.host().compute = 50_ms;
  CHECK(job.step_s() == Approx(50e-3 + kGpt2Update_s).epsilon(kToRounding));
}

TEST_CASE("counted job: a measured row of the network goes first") {
  const auto images_per_s = [](const std::string& precision, int batch) {
    const std::string text =
        "foretrain: 1\nname: row\nmodel: {network: resnet50, precision: " + precision +
        "}\ntraining: {strategy: all_reduce, workers: 1, steps: 4, batch_size: " +
        std::to_string(batch) + "}\ncluster: {hosts: [{like: dgx-1}]}\n";
    const Case c = parse_scenario(text, "x.yaml").at(0);
    const Record record = testing::simulate(c, sim::SimulateOptions{});
    REQUIRE(record.outcome == Outcome::done);
    double compute_s = 0;
    for (const StepRow& row : record.steps) compute_s += row.report.phases.compute.seconds();
    return batch * static_cast<double>(record.steps.size()) / compute_s;
  };
  CHECK(images_per_s("fp32", 128) ==
        Approx(384.19).epsilon(1e-4));  // DLPerf, as the library has it
  CHECK(images_per_s("fp16", 256) == Approx(833.65).epsilon(1e-4));
}

TEST_CASE("counted job: its record has the counted totals") {
  CountedJob job(2);
  job.c.scenario.training.accumulate = 2;
  const Record record = job.record();
  REQUIRE(record.counted);
  const CountedTotals& counted = *record.counted;
  const Prepared prepared = job.prepared();
  CHECK(counted.parameters == 124'439'808);
  CHECK(counted.tokens == 2 * 2 * 256);
  CHECK(counted.flops == Approx(2 * prepared.counted->model_flops()));
  CHECK(counted.peak == 1e14);
  CHECK(counted.memory.capacity.value == 16'000'000'000);
  CHECK(counted.memory.activations == prepared.counted->activations());
  CHECK(counted.memory.fits());
  CHECK(counted.would_fit.empty());

  const auto json = to_json(record);
  const double time_s = record.time.seconds();
  const double gradients = 2 * kCountedSteps;
  CHECK(json.at("parameters") == 124'439'808);
  CHECK(json.at("tokens_per_s").get<double>() == Approx(gradients * 1'024 / time_s));
  CHECK(json.at("model_flops_utilization").get<double>() ==
        Approx(gradients * counted.flops / (2 * 1e14 * time_s)));
  CHECK(json.at("device_memory_bytes") == counted.memory.total().value);
  CHECK(json.at("device_memory_capacity") == 16'000'000'000);
  CHECK(json.at("fits") == true);
  CHECK(json.at("cost_of_1e9_tokens").is_null());
}

TEST_CASE("counted job: the price of tokens is that of the hosts for their time") {
  CountedJob job(1);
  job.host().price = {3.6, "USD"};
  const Record record = job.record();
  const double tokens_per_s = kCountedSteps * 512 / record.time.seconds();
  CHECK(to_json(record).at("cost_of_1e9_tokens").get<double>() ==
        Approx(3.6 / 3'600 * 1e9 / tokens_per_s));
}

TEST_CASE("counted job: what does not fit is simulated, with what would fit") {
  CountedJob job(2, "none");
  job.host().device.memory = {3'000'000'000};
  const Record record = job.record();
  CHECK_FALSE(record.counted->memory.fits());
  CHECK_FALSE(record.counted->would_fit.empty());
  CHECK(to_json(record).at("fits") == false);
  const std::string sentence = memory_sentence(*record.counted, "");
  CAPTURE(sentence);
  CHECK(sentence.starts_with("It does not fit: "));
  CHECK(sentence.find(" of 2.794 GiB a device (parameters 0.2, gradients 0.2, optimizer 1.4, ") !=
        std::string::npos);
  CHECK(sentence.ends_with("; it would with " + record.counted->would_fit + "."));
  job.host().device.memory = {};
  CHECK(to_json(job.record()).at("fits").is_null());
  CHECK(to_json(job.record()).at("device_memory_capacity").is_null());
  CHECK(memory_sentence(*job.record().counted, "").empty());
}

TEST_CASE("counted job: a record read back equals itself") {
  CountedJob job(2, "none");
  for (const std::int64_t memory : {std::int64_t{3'000'000'000}, std::int64_t{16'000'000'000}}) {
    job.host().device.memory = {memory};
    const Record record = job.record();
    const TempFolder folder;
    write_record(record, folder.path());
    const Record read = read_record(folder.path());
    CHECK(read.counted == record.counted);
    CHECK(read == record);
  }
}

TEST_CASE("counted job: folded hosts give the record of all, parameters in parts") {
  CountedJob job(8, "parameters");
  Scenario& s = job.c.scenario;
  s.training.overlap = true;
  s.model.sequence = 128;
  job.host().count = 4;
  job.host().devices = 2;
  job.host().cores = 8;
  job.host().nic = {1.25e9};
  job.host().device_link.rate = {1e11};
  const Record whole = job.record(true);
  Record folded = job.record(false);
  CHECK(folded.simulated == "1 host of 4 alike");
  folded.simulated.clear();
  CHECK(folded == whole);
}

TEST_CASE("counted jobs: with bucket_rule: layer a collective has the parameters of a layer") {
  CountedJob job(2, "parameters");
  job.c.scenario.training.bucket_rule = "layer";
  const Prepared prepared = prepare(job.c, Need::shape);
  std::map<std::int64_t, std::int64_t> collectives;  // bytes by their first parameter
  for (const Bucket& bucket : prepared.training->layout->buckets) {
    collectives[bucket.with] += bucket.size().value;
  }
  // The head has its norm alone, since it multiplies by the embedding.
  REQUIRE(collectives.size() == 14);
  const double block = 12.0 * 768 * 768 + 13.0 * 768;
  CHECK(static_cast<double>(std::next(collectives.begin())->second) ==
        Approx(2 * block).epsilon(kToPadding));
  CHECK(static_cast<double>(collectives.begin()->second) ==
        Approx(2 * (50'257 + 1'024) * 768.0).epsilon(kToPadding));
}

TEST_CASE("counted jobs: a row that was measured holds for what was measured alone") {
  CountedJob job(2);
  Scenario& s = job.c.scenario;
  s.model.network = "resnet50";
  s.model.sequence = 0;
  job.host().measured = {{"resnet50_amp", 2, 50}};
  Reading unheeded({});
  check_case(job.c, unheeded);
  CHECK(s.model.profile_network == "resnet50_amp");
  const auto& changes = sim::scenario_changes();
  const auto more = std::ranges::find(changes, "recompute more", &sim::ScenarioChange::name);
  REQUIRE(more != changes.end());
  CHECK(more->apply(s) == "");
  check_case(job.c, unheeded);
  CHECK(s.model.profile_network.empty());
}

}  // namespace
}  // namespace foretrain::testing
