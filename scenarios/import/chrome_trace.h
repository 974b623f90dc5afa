// The events of a trace by PyTorch's profiler.
#pragma once

#include "scenarios/import/trace_words.h"

#include <cstdint>
#include <string>
#include <vector>

namespace foretrain {

/// An event. Times are in microseconds by the trace's own clock.
struct TraceEvent {
  double start_us = 0;
  double duration_us = 0;
  std::int64_t thread = 0;        ///< of the host; for device work its stream
  std::int64_t correlation = -1;  ///< links a launch with its device work; -1: none
  std::int64_t sequence = -1;     ///< op: shared by the forward operator and its backward; -1: none
  std::int64_t numbers = 0;       ///< numbers that a collective reduces
  std::uint32_t name = 0;         ///< index in ChromeTrace::names
  std::uint32_t arguments = 0;    ///< op: index in ChromeTrace::arguments, from 1; 0: none
  std::uint16_t process = 0;      ///< index in ChromeTrace::processes; arbitrary for device work
  std::int16_t device = -1;       ///< device: its number; -1: unknown
  std::uint8_t width = 0;         ///< bytes per number of a collective
  TraceKind kind = TraceKind::op;
  TraceCollective collective = TraceCollective::none;

  [[nodiscard]] double end_us() const { return start_us + duration_us; }
};

/// A tensor argument of an operator.
struct TraceTensor {
  std::vector<std::int64_t> shape;  ///< empty: no tensor, or a scalar
  std::string type;                 ///< as in the trace
};

struct TraceProcess {
  std::string id;  ///< `pid`
  int rank = -1;   ///< in its name; -1: none
};

struct ChromeTrace {
  std::string source;
  std::vector<std::string> names;
  std::vector<TraceProcess> processes;              ///< in the order of the file
  std::vector<TraceEvent> events;                   ///< in the order of the file
  std::vector<std::vector<TraceTensor>> arguments;  ///< of operators with parameters
  std::string device;                               ///< the first device's name; empty: unknown
  std::int64_t workers = 1;          ///< `world_size`, else the size of the largest collective
  std::int64_t rank = -1;            ///< of `distributedInfo`; -1: unknown
  std::int64_t passed_over = 0;      ///< events outside the selected steps
  std::int64_t untimed = 0;          ///< kernels without a time
  std::vector<std::string> notes{};  ///< what was left out

  [[nodiscard]] const std::string& name_of(const TraceEvent& event) const {
    return names[event.name];
  }
};

/// The prefix of a step's name.
inline constexpr const char* kStepName = "ProfilerStep#";

/// Reads a Chrome trace of torch.profiler, with the names of 2021 (`Operator`, `Kernel`) or of 2022
/// and later (`cpu_op`, `kernel`), gzip or not, even if it is not valid JSON (trace_text.h). The
/// file is streamed. A trace with more than `most_events` is read twice, and only the events of six
/// steps in its middle are stored, so memory is bounded: about 100 bytes per event. A stored tensor
/// counts as two events.
/// @throws InputError, with the file's name: the file is missing, empty, not JSON, truncated, not a
/// trace, or has too many events without a step or within six steps
ChromeTrace read_chrome_trace(const std::string& path, std::size_t most_events = 2'000'000);

}  // namespace foretrain
