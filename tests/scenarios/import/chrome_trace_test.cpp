// Traces from text: stored events, errors, the cost of long traces.
#include "scenarios/import/chrome_trace.h"

#include "scenarios/import/operator_tree.h"
#include "scenarios/import/torch_trace.h"
#include "scenarios/import/trace_steps.h"
#include "tests/scenarios/import/made_trace.h"
#include "tests/scenarios/messages.h"
#include "tests/support/temp_folder.h"

#include <zlib.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace foretrain::testing {
namespace {

ChromeTrace read_text_of(const std::string& text, std::size_t most = 1'000'000) {
  const TempFolder folder;
  std::ofstream(folder / "t.json") << text;
  return read_chrome_trace(folder / "t.json", most);
}

std::string trace_error(const std::string& text, std::size_t most = 1'000'000) {
  return error_of([&] { read_text_of(text, most); });
}

TEST_CASE("chrome trace: an event has its times, its thread, what it was given") {
  MadeTrace made(kNames2021);
  made.op("aten::conv2d", 25738, 1623142623460111, 25,
          shapes("[[32, 3], [64, 3], []]", "float", 7));
  made.kernel(25738, 1623142623460115, 1623142623460120, 2.5);
  const ChromeTrace trace = read_text_of(made.text());
  REQUIRE(trace.events.size() == 3);
  const TraceEvent& op = trace.events[0];
  CHECK(trace.name_of(op) == "aten::conv2d");
  CHECK(op.kind == TraceKind::op);
  CHECK(op.thread == 25738);
  CHECK(op.start_us == 1623142623460111);
  CHECK(op.sequence == 7);
  REQUIRE(op.arguments == 1);
  CHECK(trace.arguments[0][1].shape == std::vector<std::int64_t>{64, 3});
  CHECK(trace.arguments[0][1].type == "float");
  CHECK(trace.arguments[0][2].shape.empty());
  CHECK(trace.events[1].kind == TraceKind::launch);
  CHECK(trace.events[2].kind == TraceKind::device);
  CHECK(trace.events[2].duration_us == 2.5);
  CHECK(trace.events[2].correlation == trace.events[1].correlation);
}

TEST_CASE("chrome trace: the file may be the list alone, what is no work is passed over") {
  const ChromeTrace trace = read_text_of(
      R"([{"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "python"}},
          {"ph": "X", "cat": "cpu_op", "name": "a", "tid": 1, "ts": 1, "dur": 2,
           "args": {"Call stack": "x", "nested": {"ts": 99, "deep": [[[1, [2]]]]}}},
          {"ph": "i", "name": "[memory]", "ts": 3},
          {"ph": "X", "cat": "python_function", "name": "b", "tid": 1, "ts": 1, "dur": 2}])");
  REQUIRE(trace.events.size() == 1);
  CHECK(trace.events[0].start_us == 1);
}

TEST_CASE("chrome trace: the device and the number of workers are told") {
  const ChromeTrace trace =
      read_text_of(two_layers().text(R"("deviceProperties": [{"id": 0, "name": "Tesla V100"},
                                     {"id": 1, "name": "other"}],
                                     "distributedInfo": {"rank": 3, "world_size": 8}, )"));
  CHECK(trace.device == "Tesla V100");
  CHECK(trace.workers == 8);
}

void write_gzip(const std::string& path, const std::string& text) {
  gzFile file = gzopen(path.c_str(), "wb");
  REQUIRE(file != nullptr);
  REQUIRE(gzwrite(file, text.data(), static_cast<unsigned>(text.size())) > 0);
  gzclose(file);
}

TEST_CASE("chrome trace: gzip is read, whatever the file is called, a damaged one refused") {
  const TempFolder folder;
  write_gzip(folder / "t.json", two_layers().text());
  CHECK(job_of(read_chrome_trace(folder / "t.json")).parameters == 21);
  std::filesystem::resize_file(folder / "t.json",
                               std::filesystem::file_size(folder / "t.json") / 2);
  CHECK(error_of([&] { read_chrome_trace(folder / "t.json"); }).find("t.json: ") !=
        std::string::npos);
}

TEST_CASE("chrome trace: no JSON, a cut file, no trace, no file are refused by name") {
  CHECK(trace_error("{\"traceEvents\": [{]}").find("is not JSON at byte") != std::string::npos);
  const std::string whole = two_layers().text();
  CHECK(trace_error(whole.substr(0, whole.size() / 2)).find("ends early, at byte") !=
        std::string::npos);
  CHECK(trace_error("{\"a\": [1, 2]}").find("export_chrome_trace") != std::string::npos);
  CHECK(trace_error("").find("t.json: empty; give a trace that export_chrome_trace") !=
        std::string::npos);
  CHECK(error_of([] { read_chrome_trace("/nowhere/t.json"); }).find("is there such a file") !=
        std::string::npos);
}

// Values of every kind, and characters of several bytes.
std::string trace_of_all_values() {
  MadeTrace made;
  made.op("aten::conv2d", 1, 10.25, 2.5e1, shapes("[[32, 3], [64, 3], []]", "float", 7));
  made.kernel(1, 12, 15, 2.5);
  made.raw(R"({"ph": "X", "cat": "cpu_op", "name": "a\"\\\u00e9\ud83d\ude00 \n)"
           "\xc3\xa9\xf0\x9f\x98\x80"
           R"(", "tid": 1, "ts": 40, "dur": -0.5E-3, "args": {"a": [true, false, null, -1]}})");
  return made.text();
}

TEST_CASE("chrome trace: wherever it is cut, that is what is said, unless all of it is there") {
  const TempFolder folder;
  const std::string whole = trace_of_all_values();
  const std::string path = folder / "t.json";
  for (std::size_t bytes = 1; bytes <= whole.size(); ++bytes) {
    CAPTURE(bytes);
    std::ofstream(path, std::ios::binary | std::ios::trunc) << whole.substr(0, bytes);
    const std::string error = error_of([&] { read_chrome_trace(path); });
    // The last byte is only the line end.
    const bool is_whole = bytes + 1 >= whole.size();
    REQUIRE(error.find(is_whole ? "(no error)" : "t.json: ends early, at byte ") !=
            std::string::npos);
    REQUIRE((is_whole || error.find("write the trace again") != std::string::npos));
  }
  write_gzip(path, whole);
  for (std::uintmax_t bytes = std::filesystem::file_size(path) - 1; bytes > 0; --bytes) {
    CAPTURE(bytes);
    std::filesystem::resize_file(path, bytes);
    REQUIRE(error_of([&] { read_chrome_trace(path); }).find("t.json: is damaged or incomplete") !=
            std::string::npos);
  }
}

TEST_CASE("chrome trace: what is no JSON is told with its place") {
  CHECK(trace_error("hello").find(
            ": is not JSON at byte 1 (last read: 'h'); give a trace that export") !=
        std::string::npos);
  CHECK(
      trace_error("{\"a\": \xff}").find(": is not JSON at byte 7 (last read: '\"a\":?'); give a") !=
      std::string::npos);
}

// An event with these arguments, followed by an operator.
ChromeTrace with_event(const std::string& event) {
  return read_text_of(
      "{\"traceEvents\": [\n" + event +
      R"(, {"ph": "X", "cat": "cpu_op", "name": "a", "tid": 1, "ts": 1, "dur": 2}]})");
}

TEST_CASE("chrome trace: what profilers write though it is no JSON is read") {
  const std::vector<std::string> events{
      R"x({"args": {"bandwidth (GB/s)": inf, "b": -inf, "c": nan, "d": -nan(ind), "e": N/A}})x",
      R"x({"args": {"a": Infinity, "b": NaN, "c": 1.#INF, "d": -1.#IND, "e": , "f": }})x",
      R"x({"name": "D:\work\users\xi.py(3): f"})x",
      R"x({"name": "D:\work\", "ph": "i"})x",
      "{\"name\": \"a\x01\tb\nc\"}",
      "{\"name\": \"na\xefve \xe9\"}",
      R"x({"name": "\ud83d \uZZ"})x",
      R"x({"args": {"a": [1, 2, ], "b": 1, }})x",
      "{\"name\": \"" + std::string(100'000, 'x') + "\"}"};
  for (const std::string& event : events) {
    CAPTURE(event.substr(0, 200));
    const auto count = [&] { REQUIRE(with_event(event).events.size() == 1); };
    CHECK(error_of(count) == "(no error)");
  }
}

TEST_CASE("chrome trace: times, ids, counts as text are read as numbers") {
  const ChromeTrace trace = with_event(
      R"({"ph": "X", "cat": "kernel", "name": "k", "pid": "0", "tid": "7", "ts": "5000.250",
          "dur": "10.5", "args": {"correlation": "12", "device": "3"}})");
  REQUIRE(trace.events.size() == 2);
  CHECK(trace.events[0].start_us == 5000.25);
  CHECK(trace.events[0].duration_us == 10.5);
  CHECK(trace.events[0].correlation == 12);
  CHECK(trace.events[0].device == 3);
}

TEST_CASE("chrome trace: zeros behind the end are passed over, packed or not") {
  const TempFolder folder;
  const std::string path = folder / "t.json";
  std::ofstream(path) << two_layers().text() + std::string(512, '\0');
  CHECK(job_of(read_chrome_trace(path)).parameters == 21);
  write_gzip(path, two_layers().text());
  std::ofstream(path, std::ios::binary | std::ios::app) << std::string(512, '\0');
  CHECK(job_of(read_chrome_trace(path)).parameters == 21);
}

TEST_CASE("chrome trace: whatever is packed, blanks and strings without end are refused") {
  const TempFolder folder;
  const std::string path = folder / "t.json";
  const std::string begin =
      GENERATE(std::string("{\"traceEvents\":["), std::string("{\"traceEvents\":[{\"name\":\""),
               std::string("{\"traceEvents\":[{\"ts\":1"));
  const char filling = begin.back() == '[' ? ' ' : '1';
  write_gzip(path, begin + std::string(20'000'000, filling));
  CHECK_THAT(error_of([&] { read_chrome_trace(path); }), Catch::Contains("more than 16 MiB of"));
  std::ofstream(path) << std::string(1'000'000, '[');
  CHECK_THAT(error_of([&] { read_chrome_trace(path); }), Catch::Contains("nested deeper"));
}

TEST_CASE("chrome trace: shapes, names without end are kept in part") {
  MadeTrace made;
  std::string sizes = "1";
  for (int i = 0; i < 10'000; ++i) sizes += ",1";
  std::string tensors = "[" + sizes + "]";
  for (int i = 0; i < 100; ++i) tensors += ",[1]";
  made.op("aten::linear", 1, 1, 2, "\"Input Dims\": [" + tensors + "]");
  const ChromeTrace trace = read_text_of(made.text());
  REQUIRE(trace.arguments.size() == 1);
  CHECK(trace.arguments[0].size() == 4);
  CHECK(trace.arguments[0][0].shape.size() == 8);
}

TEST_CASE("chrome trace: of a long one the events of some steps are kept, with the same answer") {
  MadeTrace made = two_layers();
  for (int step = 4; step < 200; ++step) {
    const double at = 1e6 + 1000.0 * step;
    made.marked(fmt::format("ProfilerStep#{}", step), 1, at, 999);
    for (int i = 0; i < 30; ++i) made.op("aten::add", 1, at + 10 * i, 5);
    made.op("aten::linear", 1, at + 500, 50, shapes("[[8, 4], [3, 4], [3]]", "float", 9000 + step));
    made.kernel(1, at + 510, at + 520, 20).op("AddmmBackward0", 2, at + 600, 10);
  }
  const std::string text = made.text();
  const ImportedJob whole = job_of(read_text_of(text));
  const ChromeTrace part = read_text_of(text, 1'000);
  CHECK(part.passed_over > 1'000);
  const ImportedJob job = job_of(part);
  CHECK(job.parameters == whole.parameters);
  CHECK(job.forward_s == Approx(20e-6));
  CHECK(trace_error(text, 50).find("events in 6 steps") != std::string::npos);
}

TEST_CASE("chrome trace: too many events without a step are refused") {
  MadeTrace made;
  for (int i = 0; i < 100; ++i) made.op("aten::add", 1, i, 1);
  CHECK(trace_error(made.text(), 50).find("no step among them") != std::string::npos);
}

TEST_CASE("chrome trace: steps that count lie between the profiler's start and end") {
  const auto counted = [](int steps) {
    std::vector<TraceSpan> all;
    for (int i = 0; i < steps; ++i) all.push_back({1.0 * i, i + 0.9});
    std::vector<double> starts;
    for (const TraceSpan& step : measured_steps(all)) starts.push_back(step.start_us);
    return starts;
  };
  CHECK(counted(0).empty());
  CHECK(counted(1) == std::vector<double>{0});
  CHECK(counted(2) == std::vector<double>{1});
  CHECK(counted(3) == std::vector<double>{1});
  CHECK(counted(4) == std::vector<double>{2});
  CHECK(counted(6) == std::vector<double>{2, 3, 4});
}

TEST_CASE("chrome trace: operators are within each other on their thread alone") {
  MadeTrace made;
  made.op("outer", 1, 0, 100).op("inner", 1, 10, 20).op("later", 1, 40, 60).op("other", 2, 5, 90);
  const ChromeTrace trace = read_text_of(made.text());
  const OperatorTree tree(trace);
  CHECK(tree.innermost(1, 15) == 1);
  CHECK(tree.parent(1) == 0);
  CHECK(tree.innermost(1, 35) == 0);
  CHECK(tree.innermost(1, 50) == 2);
  CHECK(tree.innermost(2, 15) == 3);
  CHECK(tree.parent(3) == OperatorTree::kNone);
  CHECK(tree.innermost(1, 500) == OperatorTree::kNone);
  CHECK(tree.innermost(7, 15) == OperatorTree::kNone);
}

}  // namespace
}  // namespace foretrain::testing
