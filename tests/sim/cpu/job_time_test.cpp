// Job times from a machine's figures, by their precedence.
#include "sim/cpu/job_time.h"

#include "scenarios/language/input_error.h"
#include "scenarios/library/machine_file.h"

#include <catch2/catch.hpp>

#include <string>

namespace foretrain::sim {
namespace {
using namespace literals;

Job job_of(JobKind kind, double flops, std::int64_t bytes, Duration measured = {}) {
  Job job;
  job.kind = kind;
  job.examples = 10;
  Cost cost{.flops = {flops}, .measured = measured};
  cost.read.activations = {bytes};
  job.cost = cost;
  return job;
}

/// A machine with 30 GFLOP/s, 10 GB/s, 100 us per job.
Machine described() {
  Machine machine;
  machine.name = "described";
  machine.roofline = {30, {10e9}, 100_us};
  return machine;
}

TEST_CASE("job time: a roofline takes the longer of computing and moving") {
  const Machine machine = described();
  const JobTime time(&machine, "softmax", {});
  const auto kind = GENERATE(JobKind::gradient, JobKind::evaluate, JobKind::apply, JobKind::reduce);
  CHECK(time.of(job_of(kind, 30e6, 1'000'000)) == 100_us + 1_ms);
  CHECK(time.of(job_of(kind, 30e6, 20'000'000)) == 100_us + 2_ms);
  CHECK(time.of(job_of(kind, 0, 0)) == 100_us);
  CHECK(time.uncalibrated());
}

TEST_CASE("job time: without a bandwidth only operations bound a roofline") {
  Machine machine = described();
  machine.roofline.memory_bandwidth = {};
  CHECK(JobTime(&machine, "x", {}).of(job_of(JobKind::gradient, 30e6, 1'000'000'000)) == 1'100_us);
}

TEST_CASE("job time: what was measured goes before what is described") {
  Machine machine = described();
  machine.models["softmax"] = {{1e-3, 1e-4}, {2e-3, 0}, 0.25};
  const JobTime measured(&machine, "softmax", {});
  CHECK(measured.of(job_of(JobKind::gradient, 30e9, 0)) == 2_ms);
  CHECK(measured.of(job_of(JobKind::evaluate, 30e9, 0)) == 2_ms);
  CHECK(measured.of(job_of(JobKind::apply, 30e6, 0)) == 1'100_us);
  CHECK(measured.gradient_jitter() == 0.25);
  CHECK(!measured.uncalibrated());
  machine.apply = {1e-6, 0};
  CHECK(JobTime(&machine, "lenet", {}).of(job_of(JobKind::apply, 30e6, 0)) == 1_us);
  CHECK(JobTime(&machine, "lenet", {}).uncalibrated());
}

TEST_CASE(
    "job time: updates cost what the model's own have cost and scattered ones by themselves") {
  Machine machine;
  machine.apply = {0, 1e-9};
  machine.models["lenet"].apply = {0, 2e-9};
  machine.models["sparse"].sparse_apply = {0, 5e-9};
  Job job = job_of(JobKind::apply, 0, 1'000'000);
  CHECK(JobTime(&machine, "lenet", {}).of(job) == 2_ms);
  // A dense update of a sparse model is treated as any other.
  CHECK(JobTime(&machine, "sparse", {}).of(job) == 1_ms);
  job.scattered = true;
  CHECK(JobTime(&machine, "sparse", {}).of(job) == 5_ms);
  CHECK(JobTime(&machine, "lenet", {}).of(job) == 1_ms);
}

/// The work of making a message of this size.
SpentCost made(std::int64_t bytes) {
  SpentCost spent;
  spent.cost.read.gradients = {bytes};
  spent.cost.written.messages = {bytes};
  return spent;
}

/// The work of copying this many bytes.
SpentCost moved(std::int64_t bytes) {
  SpentCost spent;
  spent.cost.read.parameters = {bytes};
  spent.cost.written.parameters = {bytes};
  return spent;
}

TEST_CASE("job time: sparse messages cost by their bytes what the model's have cost") {
  Machine machine;
  machine.apply = {1, 1e-9};
  machine.models["sparse"].coding = {2e-6, 1e-9};
  machine.models["other"] = {};
  CHECK(JobTime(&machine, "sparse", {}).of(made(10'000)) == 12_us);
  // Without a measurement, at the memory speed of updates.
  CHECK(JobTime(&machine, "other", {}).of(made(10'000)) == 20_us);
}

TEST_CASE("job time: values are moved as fast as updates move memory or as is described") {
  Machine machine;
  machine.apply = {1, 1e-9};
  machine.models["softmax"].apply = {0, 5e-9};
  CHECK(JobTime(&machine, "softmax", {}).of(moved(10'000)) == 20_us);
  const Machine other = described();
  CHECK(JobTime(&other, "softmax", {}).of(moved(10'000)) == 2_us);
  CHECK(JobTime(nullptr, "", {}).of(moved(10'000)) == 0_us);
}

TEST_CASE("job time: what was measured waits for its bytes and what is given does not") {
  Machine machine = described();
  machine.models["softmax"] = {{0, 1e-3}, {0, 1e-3}};
  CHECK(JobTime(&machine, "softmax", {}).refills(JobKind::gradient));
  CHECK(!JobTime(&machine, "softmax", 5_ms).refills(JobKind::gradient));
  CHECK(!JobTime(&machine, "lenet", {}).refills(JobKind::gradient));  // a roofline counts its bytes
  CHECK(!JobTime(&machine, "softmax", {}).refills(JobKind::apply));
  machine.apply = {0, 1e-9};
  CHECK(JobTime(&machine, "softmax", {}).refills(JobKind::apply));
}

TEST_CASE("job time: after messages what was measured begins at half its speed") {
  Machine machine = described();
  machine.models["softmax"] = {{0, 1e-3}, {0, 1e-3}};
  machine.apply = {4e-6, 0};
  machine.warm_up = 9_us;
  const JobTime measured(&machine, "softmax", {});
  CHECK(measured.resumed(job_of(JobKind::gradient, 0, 0)) == 9_us);
  CHECK(measured.resumed(job_of(JobKind::apply, 0, 0)) == 4_us);  // all of it at half its speed
  CHECK(measured.resumed(job_of(JobKind::evaluate, 0, 0)) == 0_us);
  CHECK(JobTime(&machine, "softmax", 5_ms).resumed(job_of(JobKind::gradient, 0, 0)) == 0_us);
  CHECK(JobTime(&machine, "lenet", {}).resumed(job_of(JobKind::gradient, 30e6, 0)) == 0_us);
}

TEST_CASE("job time: what was measured takes longer on a thread beside the loop") {
  Machine machine = described();
  machine.models["softmax"] = {{0, 1e-3}, {0, 1e-3}};
  machine.apply = {4e-6, 0};
  machine.thread_handoff = 6_us;
  const JobTime measured(&machine, "softmax", {});
  CHECK(measured.handed_over(job_of(JobKind::gradient, 0, 0)) == 6_us);
  CHECK(measured.handed_over(job_of(JobKind::reduce, 0, 0)) == 6_us);
  CHECK(measured.handed_over(job_of(JobKind::evaluate, 0, 0)) == 0_us);  // in its measured time
  const Roofline not_described;
  const JobTime device(&machine, "softmax", {}, &not_described);
  CHECK(device.handed_over(job_of(JobKind::gradient, 0, 0)) == 0_us);
  CHECK(device.handed_over(job_of(JobKind::reduce, 0, 0)) == 6_us);
  CHECK(JobTime(&machine, "softmax", 5_ms).handed_over(job_of(JobKind::gradient, 0, 0)) == 0_us);
  CHECK(JobTime(&machine, "lenet", {}).handed_over(job_of(JobKind::gradient, 30e6, 0)) == 0_us);
}

TEST_CASE("job time: a fixed time is shared among the stages of a gradient") {
  const Machine machine = described();
  const JobTime fixed(&machine, "softmax", 20_ms);
  Job job = job_of(JobKind::gradient, 30e9, 0);
  CHECK(fixed.of(job) == 20_ms);
  job.share = 0.25;
  CHECK(fixed.of(job) == 5_ms);
  CHECK(fixed.of(job_of(JobKind::evaluate, 30e6, 0)) == 1'100_us);
  CHECK(!fixed.uncalibrated());
}

TEST_CASE("job time: adding a gradient to others takes what values take, where it is measured") {
  Machine machine = described();
  machine.models["softmax"] = {{0, 1e-3}, {0, 1e-3}};
  machine.apply = {4e-6, 1e-9};
  Job job = job_of(JobKind::gradient, 0, 0);
  const JobTime measured(&machine, "softmax", {});
  const Duration alone = measured.of(job);
  job.summed = {12'000};
  CHECK(measured.of(job) == alone + 12_us);
  CHECK(JobTime(&machine, "softmax", 5_ms).of(job) == 5_ms);
  // In a described machine it is included in the bytes.
  const JobTime counted(&machine, "lenet", {});
  CHECK(counted.of(job) == counted.of(job_of(JobKind::gradient, 0, 0)));
}

TEST_CASE("job time: a profile's jobs take their own time on any machine") {
  Machine machine = described();
  machine.models["softmax"] = {{1, 1}, {1, 1}, 0.5};
  for (const Machine* each : {static_cast<const Machine*>(nullptr), &std::as_const(machine)}) {
    const JobTime time(each, "", {});
    CHECK(time.of(job_of(JobKind::gradient, 0, 0, 7_ms)) == 7_ms);
    CHECK(time.of(job_of(JobKind::evaluate, 0, 0, 3_ms)) == 3_ms);
    CHECK(time.gradient_jitter() == 0);
    CHECK(!time.uncalibrated());
  }
  CHECK(JobTime(nullptr, "", {}).of(job_of(JobKind::apply, 30e6, 4'000)) == 0_ns);
  CHECK(JobTime(&machine, "", {}).of(job_of(JobKind::apply, 30e6, 4'000)) == 1'100_us);
}

TEST_CASE("job time: a profile's times on another device are so many times as long") {
  JobTime time(nullptr, "", {});
  time.scale_profile(0.5);
  CHECK(time.of(job_of(JobKind::gradient, 0, 0, 7_ms)) == 3'500_us);
  CHECK(time.of(job_of(JobKind::evaluate, 0, 0, 3_ms)) == 1'500_us);
  JobTime fixed(nullptr, "", 20_ms);
  fixed.scale_profile(0.5);
  CHECK(fixed.of(job_of(JobKind::gradient, 0, 0, 7_ms)) == 20_ms);
}

TEST_CASE("job time: of a model that nobody knows it is told what to do") {
  const Machine machine = [] {
    Machine unknown = described();
    unknown.roofline = {};
    return unknown;
  }();
  std::string message;
  try {
    JobTime(&machine, "lenet 784x10", {});
  } catch (const InputError& error) {
    message = error.what();
  }
  CHECK(message ==
        "machine described: model lenet 784x10 was not measured; measure it (foretrain calibrate "
        "SCENARIO), or give its gflops and memory_bandwidth");
}

TEST_CASE("job time: a table over batch sizes is straight between its rows and beyond") {
  const std::vector<BatchTime> times{{8, 10_ms}, {64, 66_ms}, {512, 962_ms}};
  CHECK(interpolated(times, 8) == 10_ms);
  CHECK(interpolated(times, 36) == 38_ms);
  CHECK(interpolated(times, 288) == 514_ms);
  CHECK(interpolated(times, 1) == 3_ms);
  CHECK(interpolated(times, 612) == 1162_ms);
  CHECK(interpolated({{10, 5_ms}}, 20) == 10_ms);
  CHECK(interpolated({{10, 5_ms}, {20, 50_ms}}, 1) == 0_ms);
  Machine machine;
  machine.name = "tabled";
  machine.models["softmax"].gradient_times = times;
  const Machine read = parse_machine(to_yaml(machine), "machine.yaml");
  CHECK(read == machine);
  Job job;
  job.examples = 36;
  job.share = 0.5;
  CHECK(JobTime(&read, "softmax", {}).of(job) == 19_ms);
  machine.models["softmax"].gradient_times = {{64, 1_ms}, {8, 2_ms}};
  CHECK_THROWS_WITH(
      parse_machine(to_yaml(machine), "machine.yaml"),
      Catch::Contains("models.softmax.gradient_times: the batch sizes do not ascend"));
}

}  // namespace
}  // namespace foretrain::sim
