// Complete steps, updates of several steps: closed forms of made traces.
#include "scenarios/import/counted_steps.h"

#include "tests/scenarios/import/made_trace.h"
#include "tests/scenarios/messages.h"

#include <functional>
#include <string>
#include <vector>

namespace foretrain::testing {
namespace {

// A step of 1,500 us has forward 300, backward 600, update 100 if these functions allow them.
struct Steps {
  int count = 8;
  std::function<bool(int)> has_kernels = [](int) { return true; };
  std::function<bool(int)> goes_back = [](int) { return true; };  // launch and kernel
  std::function<int(int)> more_kernels = [](int) { return 0; };   // forward, 2 us each
  std::function<bool(int)> updates = [](int) { return true; };
};

MadeTrace made(const Steps& steps) {
  MadeTrace trace;
  for (int step = 0; step < steps.count; ++step) {
    const double at = 1e6 + 2000.0 * step;
    const auto number = [&] { return fmt::format("\"Sequence number\": {}", step); };
    const auto kernel = [&](int thread, double launch, double duration) {
      if (steps.has_kernels(step)) {
        trace.kernel(thread, at + launch, at + launch + 5, duration);
      } else {
        trace.raw(fmt::format(
            R"({{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, )"
            R"("tid": {}, "ts": {}, "dur": 1, "args": {{"correlation": {}}}}})",
            thread, at + launch, 100'000 + 10 * step + thread + static_cast<int>(launch)));
      }
    };
    trace.marked(fmt::format("ProfilerStep#{}", step), 1, at, 1500);
    trace.op("aten::linear", 1, at + 10, 20, shapes("[[8, 4], [3, 4], [3]]", "float", step));
    kernel(1, 15, 300);
    for (int i = 0; i < steps.more_kernels(step); ++i) kernel(1, 16 + 0.1 * i, 2);
    trace.op("AddmmBackward0", 2, at + 50, 20, number());
    if (steps.goes_back(step)) kernel(2, 55, 600);
    if (!steps.updates(step)) continue;
    trace.marked("Optimizer.step#SGD.step", 1, at + 80, 20);
    kernel(1, 85, 100);
  }
  return trace;
}

TEST_CASE("counted steps: those that lost their kernels are left out of the mean, told") {
  const int lost = GENERATE(1, 3, 6, 7);  // of eight, where the first two and the last do not count
  CAPTURE(lost);
  const ImportedJob job = of_text(made({.has_kernels = [&](int s) { return s >= lost; }}).text());
  CHECK(job.forward_s == Approx(300e-6));
  CHECK(job.backward_s == Approx(600e-6));
  CHECK(job.optimizer_s == Approx(100e-6));
  CHECK_THAT(notes_of(job), Catch::Contains(fmt::format("{} of 8 steps lack kernels", lost)));
  CHECK_THAT(notes_of(of_text(made({}).text())), !Catch::Contains("lack kernels"));
}

TEST_CASE("counted steps: those that lost launches with their kernels are left out, told") {
  const int count = GENERATE(4, 5, 9);
  const int lost = count == 4 ? 1 : count - 3;
  const auto goes_back = [&](int s) { return s < 2 || s >= 2 + (lost + 1) / 2; };
  CAPTURE(count);
  const ImportedJob job = of_text(made({.count = count, .goes_back = goes_back}).text());
  CHECK(job.forward_s == Approx(300e-6));
  CHECK(job.backward_s == Approx(600e-6));
  CHECK_THAT(notes_of(job), Catch::Contains(fmt::format("{} of {} steps have clearly fewer kernels",
                                                        (lost + 1) / 2, count)));
  // The profiler's first steps may lack kernels: they do not count anyway.
  const ImportedJob first =
      of_text(made({.count = count, .goes_back = [](int s) { return s > 0; }}).text());
  CHECK(first.backward_s == Approx(600e-6));
  CHECK_THAT(notes_of(first), !Catch::Contains("fewer kernels"));
}

TEST_CASE("counted steps: micro-batches are compared with micro-batches, updates with updates") {
  const auto updates = [](int s) { return s % 2 == 1; };
  const ImportedJob job = of_text(
      made({.count = 16, .goes_back = [](int s) { return s != 6 && s != 9; }, .updates = updates})
          .text());
  CHECK(job.accumulate == 2);
  CHECK(job.forward_s == Approx(300e-6));
  CHECK(job.backward_s == Approx(600e-6));
  CHECK(job.optimizer_s == Approx(100e-6));
  CHECK_THAT(notes_of(job), Catch::Contains("2 of 16 steps have clearly fewer kernels"));
}

TEST_CASE("counted steps: steps that differ among themselves all count") {
  const ImportedJob job =
      of_text(made({.count = 9, .more_kernels = [](int s) { return 10 * s; }}).text());
  CHECK(job.forward_s == Approx((300 + 10 * 4.5 * 2) * 1e-6));
  CHECK_THAT(notes_of(job), !Catch::Contains("fewer kernels"));
}

TEST_CASE("counted steps: a mark around those of steps is no step, which is told") {
  struct Mark {
    double begin;  // after the begin of the first step
    double length;
    std::string name = "ProfilerStep#99";
  };
  const auto marks = GENERATE(
      std::vector<Mark>{{0, 15500}}, std::vector<Mark>{{-50, 15600}}, std::vector<Mark>{{1, 15000}},
      std::vector<Mark>{{-50, 15600, "ProfilerStep#0"}}, std::vector<Mark>{{3900, 7700}},
      std::vector<Mark>{{5000, 6000}}, std::vector<Mark>{{3990, 2990}},
      std::vector<Mark>{{-60, 15700}, {-50, 15600}}, std::vector<Mark>{{0, 5500}, {6000, 5500}});
  MadeTrace trace = made({});
  for (const Mark& mark : marks) trace.marked(mark.name, 1, 1e6 + mark.begin, mark.length);
  CAPTURE(marks.front().begin, marks.front().length);
  const ImportedJob job = of_text(trace.text());
  CHECK(job.parameters == 15);
  CHECK(job.forward_s == Approx(300e-6));
  CHECK(job.step_s == Approx(1500e-6));
  CHECK_THAT(notes_of(job),
             Catch::Contains(fmt::format("{} step marks contain other steps", marks.size())) &&
                 Catch::Contains("5 of 8 steps count"));
}

TEST_CASE("counted steps: an optimizer in each k-th step makes them micro-batches") {
  const int apart = GENERATE(2, 3, 4);
  const int first = GENERATE(0, 1);
  CAPTURE(apart, first);
  const ImportedJob job =
      of_text(made({.count = 12, .updates = [&](int s) { return s % apart == first; }}).text());
  CHECK(job.accumulate == apart);
  CHECK(job.optimizer_s == Approx(100e-6));
  CHECK(job.forward_s == Approx(300e-6));
  CHECK(job.step_s == Approx(1500e-6));
  CHECK(job.launch_gap_s == Approx((1500 - 900 - 100.0 / apart) * 1e-6));
  CHECK_THAT(notes_of(job),
             Catch::Contains(fmt::format("runs once after {} marked steps, so they", apart)));
}

TEST_CASE("counted steps: an optimizer that comes once, or runs irregularly, is told as such") {
  const ImportedJob once =
      of_text(made({.count = 6, .updates = [](int s) { return s == 3; }}).text());
  CHECK(once.accumulate == 4);
  CHECK_THAT(notes_of(once), Catch::Contains("marked steps or more (the trace has it only once)"));
  const ImportedJob odd = of_text(
      made({.count = 9, .updates = [](int s) { return s == 2 || s == 4 || s == 7; }}).text());
  CHECK(odd.accumulate == 1);
  CHECK_THAT(notes_of(odd), Catch::Contains("runs irregularly"));
  const ImportedJob never = of_text(made({.updates = [](int) { return false; }}).text());
  CHECK_THAT(notes_of(never), Catch::Contains("No Optimizer.step is marked"));
}

}  // namespace
}  // namespace foretrain::testing
