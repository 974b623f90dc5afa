// Traces of several workers in one file: the job of a single one.
#include "scenarios/import/import_job.h"
#include "scenarios/import/imported_job.h"
#include "tests/scenarios/import/made_trace.h"
#include "tests/scenarios/messages.h"
#include "tests/support/temp_folder.h"

#include <fstream>
#include <optional>
#include <string>

namespace foretrain::testing {
namespace {

ImportedJob chosen(const std::string& events, const TraceChoice& choice = {}) {
  const TempFolder folder;
  std::ofstream(folder / "t.json") << "{\"traceEvents\": [\n" << events << "\n]}\n";
  return import_job(folder / "t.json", 0, choice);
}

std::string choice_error(const std::string& events, const TraceChoice& choice = {}) {
  return error_of([&] { chosen(events, choice); });
}

bool is_told(const ImportedJob& job, const std::string& part) {
  for (const std::string& note : job.notes) {
    if (note.find(part) != std::string::npos) return true;
  }
  return false;
}

// Four steps of two layers, forward 35, backward 110 us, with this process id, on this device.
std::string rank_events(const std::string& pid, int device = 0, int kernel_us = 20) {
  const std::string events =
      replaced(replaced(two_layers().events(), "\"pid\": 1,", "\"pid\": " + pid + ","),
               "\"dur\": 20,", "\"dur\": " + std::to_string(kernel_us) + ",");
  return replaced(events, "\"correlation\"",
                  "\"device\": " + std::to_string(device) + ", \"correlation\"");
}

// Moves kernels to another process id than that of their launches.
std::string kernels_at(std::string events, const std::string& pid) {
  std::string moved;
  std::size_t begin = 0;
  while (begin < events.size()) {
    const std::size_t end = std::min(events.find('\n', begin), events.size());
    std::string line = events.substr(begin, end - begin);
    if (line.find("\"cat\": \"kernel\"") != std::string::npos) {
      const std::size_t at = line.find("\"pid\": ") + 7;
      line.replace(at, line.find(',', at) - at, pid);
    }
    moved += line + "\n";
    begin = end + 1;
  }
  return moved;
}

TEST_CASE("one worker: of several processes one counts, which is told, another by --rank") {
  const std::string both = rank_events("7") + ",\n" + rank_events("107", 0, 30);
  const ImportedJob first = chosen(both);
  CHECK(first.forward_s == Approx(35e-6));
  CHECK(first.backward_s == Approx(110e-6));
  CHECK(is_told(first,
                "2 processes launch kernels in this trace: 7 (rank 0), 107 (rank 1). Process 7 is "
                "used; --rank chooses another."));
  CHECK(chosen(both, {1, {}}).forward_s == Approx(45e-6));
  CHECK_THAT(choice_error(both, {2, {}}),
             Catch::Contains("--rank 2: the trace has no such rank; its processes are 7 (rank 0)"));
}

TEST_CASE("one worker: kernels find their process however the trace was merged") {
  const std::string device = GENERATE("0", "100");
  CAPTURE(device);
  const std::string both =
      kernels_at(rank_events("7"), "0") + ",\n" + kernels_at(rank_events("107", 0, 30), device);
  CHECK(chosen(both, {0, {}}).forward_s == Approx(35e-6));
  CHECK(chosen(both, {1, {}}).forward_s == Approx(45e-6));
}

TEST_CASE("one worker: ranks go by what processes are called") {
  const std::string both =
      R"({"ph": "M", "name": "process_name", "pid": 7, "args": {"name": "python rank 5"}},
         {"ph": "M", "name": "process_labels", "pid": 107, "args": {"labels": "Rank: 2"}},)" +
      rank_events("7") + ",\n" + rank_events("107", 0, 30);
  CHECK(chosen(both).forward_s == Approx(45e-6));  // the smallest rank
  CHECK(chosen(both, {5, {}}).forward_s == Approx(35e-6));
  CHECK_THAT(choice_error(both, {0, {}}), Catch::Contains("107 (rank 2), 7 (rank 5)"));
  const std::string texts = rank_events("\"rank1 7\"", 0, 30) + ",\n" + rank_events("\"rank0 7\"");
  CHECK(chosen(texts).forward_s == Approx(35e-6));
}

TEST_CASE("one worker: ranks that share one process id are refused") {
  CHECK_THAT(choice_error(rank_events("7") + ",\n" + rank_events("7")),
             Catch::Contains("were merged; give the trace of one rank"));
}

TEST_CASE("one worker: steps of two threads that overlap are refused, of one thread cut") {
  MadeTrace two = two_layers();
  two.marked("ProfilerStep#2", 9, 1e6 + 2100, 999);
  CHECK_THAT(choice_error(two.events()), Catch::Contains("steps of threads 1 and 9 overlap"));
  MadeTrace twice = two_layers();
  twice.marked("ProfilerStep#2", 1, 1e6 + 2000, 999);
  CHECK_THAT(choice_error(twice.events()), Catch::Contains("or merged ranks"));
  MadeTrace within = two_layers();
  within.marked("ProfilerStep#0", 1, 1e6 + 2000, 500);
  CHECK(chosen(within.events()).step_s == Approx(999e-6));
  CHECK(is_told(chosen(within.events()), "1 steps overlap the step before"));
}

TEST_CASE("one worker: of several devices the one that works longest counts, or --device") {
  MadeTrace other;
  std::string more;
  for (int step = 0; step < 4; ++step) {
    const double at = 1e6 + 1000.0 * step;
    more += fmt::format(R"(,
{{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 7, "tid": 1, "ts": {}, "dur": 1,
"args": {{"correlation": {}}}}},
{{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 1, "tid": 9, "ts": {}, "dur": 7,
"args": {{"correlation": {}, "device": 1}}}})",
                        at + 130, 900 + step, at + 131, 900 + step);
  }
  const std::string both = rank_events("7") + more;
  CHECK(chosen(both).forward_s == Approx(35e-6));
  CHECK(is_told(chosen(both), "Kernels ran on devices 0, 1. Device 0 is used (96 % of"));
  CHECK(chosen(both, {{}, 1}).forward_s == Approx(7e-6));
  CHECK_THAT(choice_error(both, {{}, 2}),
             Catch::Contains("--device 2: no kernel ran there; devices are 0, 1"));
}

TEST_CASE("one worker: launches go with the kernels of a device that does not count") {
  // The other device has as many launches as the chosen one.
  const std::string other =
      replaced(replaced(rank_events("7", 1, 19), "\"correlation\": ", "\"correlation\": 50"),
               "ProfilerStep#", "step ");
  const std::string both = rank_events("7") + ",\n" + other;
  const auto device = GENERATE(std::optional<int>(), std::optional(1));
  const ImportedJob job = chosen(both, {{}, device});
  CHECK(job.forward_s == Approx(device == 1 ? 34e-6 : 35e-6));
  CHECK(is_told(job, "Kernels ran on devices 0, 1"));
  CHECK_FALSE(is_told(job, "have no kernel"));
}

TEST_CASE("one worker: copies of a kernel count once, which is told") {
  const int copies = GENERATE(1, 2);
  CAPTURE(copies);
  const std::string events = rank_events("7");
  std::string kernels;
  for (std::size_t begin = 0; begin < events.size();) {
    const std::size_t end = std::min(events.find("},\n", begin), events.size());
    const std::string event = events.substr(begin, end + 1 - begin);
    const bool is_kernel = event.find("\"cat\": \"kernel\"") != std::string::npos;
    for (int i = 0; is_kernel && i < copies; ++i) kernels += ",\n" + event;
    begin = end + 3;
  }
  const ImportedJob job = chosen(events + kernels);
  CHECK(job.forward_s == Approx(35e-6));
  CHECK(job.backward_s == Approx(110e-6));
  CHECK(job.optimizer_s == Approx(10e-6));
  const int all = 4 * 8 * copies;
  CHECK(is_told(job, fmt::format("{} kernels occur twice", all)));
  // Kernels of one launch with different times are separate kernels.
  CHECK_THAT(choice_error(events + replaced(kernels, "\"dur\": ", "\"dur\": 1")),
             Catch::Contains("graph"));
}

TEST_CASE("one worker: a kernel without a time, events years away are left out, told") {
  const std::string kernel = GENERATE(
      R"("ts": 0, "dur": 0)", R"("dur": 5)", R"("ts": nan, "dur": 5)", R"("ts": 1e16, "dur": 5)",
      R"("ts": 1002000, "dur": 1e16)", R"("ts": -1, "dur": 5)", R"("ts": 1002000, "dur": -4)");
  CAPTURE(kernel);
  const std::string pid = R"(, "pid": 7, "tid": 1, )";
  const std::string events =
      rank_events("7") + R"(,{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel")" + pid +
      R"("ts": 1002700, "dur": 1, "args": {"correlation": 77}},
                                {"ph": "X", "cat": "kernel", "name": "lost")" +
      pid + kernel + R"(, "args": {"correlation": 77, "device": 0}})";
  const std::string unmarked = replaced(events, "ProfilerStep#", "step ");
  const ImportedJob job = chosen(unmarked);
  CHECK(job.step_s < 5e-3);
  CHECK(is_told(job, "Left out: 1 kernels without a time stamp."));
  CHECK(job.forward_s == Approx(4 * 35e-6));
}

}  // namespace
}  // namespace foretrain::testing
