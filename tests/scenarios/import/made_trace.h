// A trace in the format of torch.profiler, made event by event.
#pragma once

#include "scenarios/import/import_job.h"
#include "tests/support/temp_folder.h"

#include <fmt/format.h>

#include <fstream>
#include <string>

namespace foretrain::testing {

/// The category names of one version of the profiler.
struct TraceNames {
  const char* op = "cpu_op";
  const char* annotation = "user_annotation";
  const char* launch = "cuda_runtime";
  const char* kernel = "kernel";
  bool text_threads = false;  ///< `"tid": "7"`
};
inline constexpr TraceNames kNames2022{};
inline constexpr TraceNames kNames2021{"Operator", "Operator", "Runtime", "Kernel", true};

/// Builds a trace; times are in microseconds.
class MadeTrace {
 public:
  explicit MadeTrace(const TraceNames& names = kNames2022) : names_(names) {}

  MadeTrace& op(const std::string& name, int thread, double start, double duration,
                const std::string& arguments = "") {
    return add(name, names_.op, thread, start, duration, arguments);
  }
  MadeTrace& marked(const std::string& name, int thread, double start, double duration) {
    return add(name, names_.annotation, thread, start, duration, "");
  }
  /// A kernel that `thread` launches at `launch` and that runs from `start`.
  MadeTrace& kernel(int thread, double launch, double start, double duration,
                    const std::string& name = "gemm", const std::string& arguments = "") {
    ++correlation_;
    const std::string id = fmt::format("\"correlation\": {}", correlation_);
    add("cudaLaunchKernel", names_.launch, thread, launch, 1, id);
    return add(name, names_.kernel, 1007, start, duration,
               arguments.empty() ? id : id + ", " + arguments);
  }
  MadeTrace& raw(const std::string& event) {
    events_ += (events_.empty() ? "" : ",\n") + event;
    return *this;
  }

  /// The events without the file around them.
  [[nodiscard]] const std::string& events() const { return events_; }
  [[nodiscard]] std::string text(const std::string& more = "") const {
    return fmt::format("{{\"schemaVersion\": 1, {}\"traceEvents\": [\n{}\n]}}\n", more, events_);
  }

 private:
  MadeTrace& add(const std::string& name, const char* category, int thread, double start,
                 double duration, const std::string& arguments) {
    const std::string tid =
        names_.text_threads ? fmt::format("\"{}\"", thread) : fmt::format("{}", thread);
    return raw(fmt::format(R"({{"ph": "X", "cat": "{}", "name": "{}", "pid": 1, "tid": {}, )"
                           R"("ts": {}, "dur": {}, "args": {{{}}}}})",
                           category, name, tid, start, duration, arguments));
  }

  TraceNames names_;
  std::string events_;
  int correlation_ = 0;
};

/// `text` with every `from` replaced by `to`.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

/// The arguments `"Input Dims"`, `"Input type"` and the operator's sequence number.
inline std::string shapes(const std::string& dims, const std::string& type, int sequence) {
  return fmt::format(R"("Input Dims": {}, "Input type": ["{}", "{}", "{}"], "Sequence number": {})",
                     dims, type, type, type, sequence);
}

/// Four steps of two linear layers, 1 ms each, of which only the third counts; thread 1 runs the
/// step, thread 2 autograd. A step has, in microseconds: forward 30 + 5 of the loss, backward 40 +
/// 70, optimizer 10, and a wait of 100 for the loader.
inline MadeTrace two_layers(const TraceNames& names = kNames2022,
                            const std::string& type = "float") {
  MadeTrace trace(names);
  for (int step = 0; step < 4; ++step) {
    const double at = 1e6 + 1000.0 * step;
    const int sequence = 10 * step;
    trace.marked(fmt::format("ProfilerStep#{}", step), 1, at, 999);
    trace.op("enumerate(DataLoader)#Loader.__next__", 1, at + 1, 100);
    trace.op("aten::linear", 1, at + 110, 50, shapes("[[8, 4], [3, 4], [3]]", type, sequence + 1));
    trace.op("aten::addmm", 1, at + 115, 40, shapes("[[3], [8, 4], [4, 3]]", type, sequence + 1));
    trace.kernel(1, at + 120, at + 125, 20);
    trace.op("aten::relu", 1, at + 170, 10, fmt::format("\"Sequence number\": {}", sequence + 2));
    trace.kernel(1, at + 172, at + 180, 4);
    trace.op("aten::linear", 1, at + 200, 30, shapes("[[8, 3], [2, 3], []]", type, sequence + 3));
    trace.kernel(1, at + 210, at + 212, 6);
    trace.op("aten::nll_loss", 1, at + 240, 10,
             fmt::format("\"Sequence number\": {}", sequence + 4));
    trace.kernel(1, at + 242, at + 245, 5);
    // The backward pass on autograd's thread.
    const auto back = [&](int number, double begin, double duration) {
      trace.op("autograd::engine::evaluate_function: AddmmBackward0", 2, begin, 40,
               fmt::format("\"Sequence number\": {}, \"Fwd thread id\": 1", sequence + number));
      trace.kernel(2, begin + 5, begin + 10, duration);
    };
    back(3, at + 300, 40);
    back(2, at + 400, 10);
    back(1, at + 450, 60);
    trace.marked("Optimizer.step#SGD.step", 1, at + 600, 50);
    trace.kernel(1, at + 610, at + 620, 10);
  }
  return trace;
}

/// The job that `import` makes from a trace's text.
inline ImportedJob of_text(const std::string& text) {
  const TempFolder folder;
  std::ofstream(folder / "t.json") << text;
  return import_job(folder / "t.json", 0);
}

inline std::string notes_of(const ImportedJob& job) {
  std::string all;
  for (const std::string& note : job.notes) all += note + "\n";
  return all;
}

}  // namespace foretrain::testing
