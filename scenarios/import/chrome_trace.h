// What the profiler of PyTorch wrote down, event by event.
#pragma once

#include "scenarios/import/trace_words.h"

#include <cstdint>
#include <string>
#include <vector>

namespace foretrain {

/// Times in microseconds, by the trace's own clock.
struct TraceEvent {
  double start_us = 0;
  double duration_us = 0;
  std::int64_t thread = 0;        ///< of the host; of device work its stream
  std::int64_t correlation = -1;  ///< launch, device: the same number for what belongs together
  std::int64_t sequence = -1;     ///< op: of the forward operator and of its backward; -1: none
  std::int64_t numbers = 0;       ///< that a collective is given
  std::uint32_t name = 0;         ///< in ChromeTrace::names
  std::uint32_t arguments = 0;  ///< op with parameters: in ChromeTrace::arguments, from 1; 0: none
  std::uint16_t process = 0;    ///< in ChromeTrace::processes; of device work whatever stands there
  std::int16_t device = -1;     ///< device: its number; -1: not said
  std::uint8_t width = 0;       ///< bytes of a number of a collective
  TraceKind kind = TraceKind::op;
  TraceCollective collective = TraceCollective::none;

  [[nodiscard]] double end_us() const { return start_us + duration_us; }
};

/// A tensor that an operator was given.
struct TraceTensor {
  std::vector<std::int64_t> shape;  ///< empty: no tensor, or a lone number
  std::string type;                 ///< as the trace calls it
};

struct TraceProcess {
  std::string id;  ///< `pid`
  int rank = -1;   ///< that its name has; -1: none
};

struct ChromeTrace {
  std::string source;
  std::vector<std::string> names;
  std::vector<TraceProcess> processes;              ///< as they come in the file
  std::vector<TraceEvent> events;                   ///< as the file has them
  std::vector<std::vector<TraceTensor>> arguments;  ///< of operators that own parameters
  std::string device;                               ///< the first one's name; empty: not said
  std::int64_t workers = 1;          ///< `world_size`, else those of the largest collective
  std::int64_t rank = -1;            ///< of `distributedInfo`; -1: not said
  std::int64_t passed_over = 0;      ///< events outside the steps that are kept
  std::int64_t untimed = 0;          ///< kernels without a time
  std::vector<std::string> notes{};  ///< what was left out

  [[nodiscard]] const std::string& name_of(const TraceEvent& event) const {
    return names[event.name];
  }
};

/// What begins the name of a step.
inline constexpr const char* kStepName = "ProfilerStep#";

/// Reads the Chrome trace of torch.profiler, of both generations of names (2021: `Operator`,
/// `Kernel`; since 2022: `cpu_op`, `kernel`), gzip or not, also where it is not quite JSON
/// (trace_text.h). It is read as a stream; of a trace with more than `most_events` it is read
/// again, and the events of six steps in its middle are kept, so that memory is bounded whatever
/// its length: some 100 bytes an event. A tensor that is kept counts as two events.
/// @throws InputError, with the file's name: there is none, it is empty, no JSON, cut off, no
/// trace; too many events without a step
ChromeTrace read_chrome_trace(const std::string& path, std::size_t most_events = 2'000'000);

}  // namespace foretrain
