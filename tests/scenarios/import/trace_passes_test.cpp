// Micro-batches within one marked step: the job describes a single one.
#include "tests/scenarios/import/made_trace.h"
#include "tests/scenarios/messages.h"

#include <functional>
#include <string>

namespace foretrain::testing {
namespace {

// A pass of two layers with 15 and 16 parameters: forward 30 + 20, backward 40 + 60 us. From the
// second pass on, gradients are accumulated, which takes 2 us.
struct Passes {
  int count = 2;
  int steps = 6;
  int updates = 1;  // of the optimizer, 10 us
  bool marks_updates = true;
  int reduced = 0;                                                      // in each pass
  int reduced_at_end = 0;                                               // in the last pass
  std::function<std::string(int)> kernel = [](int) { return "gemm"; };  // by pass: a forward one
  std::function<bool(int)> updates_step = [](int) { return true; };
};

MadeTrace with_passes(const Passes& passes) {
  MadeTrace trace;
  for (int step = 0; step < passes.steps; ++step) {
    const double begin = 1e6 + 10'000.0 * step;
    trace.marked(fmt::format("ProfilerStep#{}", step), 1, begin, 9000);
    for (int pass = 0; pass < passes.count; ++pass) {
      const double at = begin + 1000.0 * pass;
      const int sequence = 100 * step + 10 * pass;
      const auto layer = [&](int i, double after, int features, int us, const std::string& name) {
        trace.op("aten::linear", 1, at + after, 20,
                 shapes(fmt::format("[[8, {0}], [{1}, {0}], [{1}]]", features, 7 - features),
                        "float", sequence + i));
        trace.kernel(1, at + after + 5, at + after + 10, us, name);
      };
      layer(1, 10, 4, 30, passes.kernel(pass));
      layer(2, 50, 3, 20, "gemm");
      const auto back = [&](int i, double after, int us) {
        trace.op("autograd::engine::evaluate_function: AddmmBackward0", 2, at + after, 50,
                 fmt::format("\"Sequence number\": {}", sequence + i));
        trace.kernel(2, at + after + 5, at + after + 10, us, "gemm_back");
        trace.op("torch::autograd::AccumulateGrad", 2, at + after + 60, 10);
        if (pass > 0) trace.kernel(2, at + after + 65, at + after + 70, 1, "add");
      };
      back(2, 200, 40);
      back(1, 300, 60);
      const int numbers = passes.reduced + (pass + 1 == passes.count ? passes.reduced_at_end : 0);
      if (numbers > 0) {
        trace.kernel(2, at + 400, at + 410, 5, "ncclDevKernel_AllReduce_Sum_f32",
                     fmt::format("\"In msg nelems\": {}, \"dtype\": \"Float\"", numbers));
      }
      // The loss is read after each pass.
      trace.kernel(1, at + 500, at + 510, 0, "Memcpy DtoH");
      const bool updates = passes.updates_step(step) && pass >= passes.count - passes.updates;
      if (!updates) continue;
      trace.kernel(1, at + 550, at + 560, 0, "clip");
      if (passes.marks_updates) trace.marked("Optimizer.step#SGD.step", 1, at + 600, 50);
      trace.kernel(1, at + 610, at + 620, 10, "sgd");
    }
  }
  return trace;
}

TEST_CASE("trace passes: micro-batches of a step are folded into one, accumulated, told") {
  const int count = GENERATE(2, 3, 4);
  CAPTURE(count);
  const ImportedJob job = of_text(with_passes({.count = count}).text());
  CHECK(job.parameters == 15 + 16);
  CHECK(job.accumulate == count);
  CHECK(job.batch == 8);
  REQUIRE(job.layers.size() == 2);
  CHECK(job.layers[0].forward_s == Approx(30e-6));
  CHECK(job.layers[1].forward_s == Approx(20e-6));
  const double added_s = 1e-6 * (count - 1) / count;
  CHECK(job.layers[0].backward_s == Approx(60e-6 + added_s));
  CHECK(job.layers[1].backward_s == Approx(40e-6 + added_s));
  CHECK(job.optimizer_s == Approx(10e-6));
  CHECK(job.step_s == Approx(9e-3 / count));
  CHECK(job.step_s == Approx(job.forward_s + job.backward_s + job.launch_gap_s +
                             job.optimizer_s / job.accumulate));
  CHECK_THAT(notes_of(job), Catch::Contains(fmt::format("A step has {} equal forward", count)) &&
                                Catch::Contains(fmt::format("has accumulate: {}.", count)));
  const ImportedJob one = of_text(with_passes({.count = 1}).text());
  CHECK(one.parameters == 31);
  CHECK(one.accumulate == 1);
  CHECK_THAT(notes_of(one), !Catch::Contains("passes"));
}

TEST_CASE("trace passes: all-reduces at the end, or after each pass, carry what one owns") {
  for (const Passes& passes : {Passes{.reduced = 31}, Passes{.reduced_at_end = 31}}) {
    const ImportedJob job = of_text(with_passes(passes).text());
    CHECK(job.parameters == 31);
    CHECK(job.accumulate == 2);
    CHECK_THAT(notes_of(job), !Catch::Contains("all-reduces carry"));
  }
}

TEST_CASE("trace passes: steps of micro-batches may themselves be micro-batches") {
  const ImportedJob job =
      of_text(with_passes({.steps = 12, .updates_step = [](int s) { return s % 3 == 2; }}).text());
  CHECK(job.parameters == 31);
  CHECK(job.accumulate == 6);
  CHECK(job.forward_s == Approx(50e-6));
  CHECK(job.optimizer_s == Approx(10e-6));
}

TEST_CASE("trace passes: what may be micro-batches is asked, and stays as it is") {
  const auto other = [](int pass) { return pass == 0 ? "gemm" : "winograd"; };
  for (const Passes& passes :
       {Passes{.updates = 2}, Passes{.marks_updates = false}, Passes{.kernel = other}}) {
    const ImportedJob job = of_text(with_passes(passes).text());
    CHECK(job.parameters == 62);
    CHECK(job.accumulate == 1);
    CHECK(job.forward_s > 99e-6);
    CHECK_THAT(notes_of(job), Catch::Contains("A step has 2 forward passes: micro-batches"));
  }
}

}  // namespace
}  // namespace foretrain::testing
