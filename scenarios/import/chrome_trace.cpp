// Streams Chrome traces, storing only the current event's values.
#include "scenarios/import/chrome_trace.h"

#include "scenarios/import/trace_layers.h"
#include "scenarios/import/trace_steps.h"
#include "scenarios/import/trace_text.h"
#include "scenarios/language/input_error.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace foretrain {
namespace {

using Json = nlohmann::json;

// The number in a thread id such as `25738` or `stream 7`; else a unique negative number.
std::int64_t thread_of(std::string_view text) {
  const std::size_t digit = text.find_first_of("0123456789");
  std::int64_t number = 0;
  if (digit != std::string_view::npos &&
      std::from_chars(text.data() + digit, text.data() + text.size(), number).ec == std::errc{}) {
    return number;
  }
  return -1 - static_cast<std::int64_t>(std::hash<std::string_view>{}(text) >> 2);
}

// Times, ids, counts may be given as text.
std::optional<double> number_in(std::string_view text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stopped != end || text.empty()) return std::nullopt;
  return number;
}

/// The selection of events. @see read_chrome_trace
struct Asked {
  std::size_t most_events;
  std::optional<TraceSpan> span;  // empty: everything
  double steps_end_us = 0;        // steps in the span begin before this
};

/// Receives each value in turn and stores the selected events.
class TraceHandler : public nlohmann::json_sax<Json> {
 public:
  explicit TraceHandler(const Asked& asked) : asked_(asked) { trace_.workers = 0; }

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t value) override {
    return number(static_cast<double>(value), value);
  }
  bool number_unsigned(number_unsigned_t value) override {
    constexpr auto kMost = static_cast<number_unsigned_t>(std::numeric_limits<std::int64_t>::max());
    return number(static_cast<double>(value), static_cast<std::int64_t>(std::min(value, kMost)));
  }
  bool number_float(number_float_t value, const string_t&) override { return number(value, -1); }
  bool binary(binary_t&) override { return true; }

  bool string(string_t& text) override {
    if (!in_event()) {
      if (depth_ == 3 && area_ == "deviceProperties" && key_ == "name" && trace_.device.empty()) {
        trace_.device = text;
      }
      return true;
    }
    if (level() == 0 && key_ == "name") name_ = text;
    if (level() == 0 && key_ == "cat") category_ = text;
    if (level() == 0 && key_ == "ph") phase_ = text;
    if (level() == 0 && key_ == "pid") event_.process = process_of(text);
    if (level() == 0 && key_ == "tid") event_.thread = thread_of(text);
    if (level() == 0 && (key_ == "tid" || key_ == "pid")) return true;
    if (level() == 1 && key_ == "name") label_ = text;
    if (level() == 1 && key_ == "labels" && label_.empty()) label_ = text;
    if (level() == 1 && key_ == "Collective name" && !text.empty())
      event_.collective = collective_called(text);
    if (level() == 1 && key_ == "dtype") {
      event_.width = static_cast<std::uint8_t>(width_of_type(text).value_or(0));
    }
    if (level() == 2 && is_types(argument_) && types_.size() < kMostTensors) types_.push_back(text);
    if (const auto value = number_in(text); value && std::abs(*value) < kMostWhole) {
      return number(*value, static_cast<std::int64_t>(*value));
    }
    return true;
  }

  bool start_object(std::size_t) override {
    begun_ = true;
    ++depth_;
    if (in_event() && level() == 0) begin_event();
    return depth_ < kMostDepth;
  }
  bool end_object() override {
    if (in_event() && level() == 0) end_event();
    --depth_;
    return true;
  }
  bool start_array(std::size_t) override {
    begun_ = true;
    ++depth_;
    if (depth_ == 1) in_list_ = true;  // the whole file is the list
    if (depth_ == 1) first_ = 2;
    const bool is_shape = in_event() && level() == 3 && is_shapes(argument_);
    if (is_shape && shapes_.size() <= kMostTensors) shapes_.emplace_back();
    return depth_ < kMostDepth;
  }
  bool end_array() override {
    --depth_;
    return true;
  }
  bool key(string_t& text) override {
    if (depth_ == 1) area_ = text;
    if (depth_ == 1) in_list_ = text == "traceEvents";
    if (depth_ == 1 && text == "nodes") met_nodes_ = true;
    if (in_event() && level() == 1) argument_ = text;
    key_ = text;
    return true;
  }
  bool parse_error(std::size_t, const std::string& last_read, const Json::exception&) override {
    last_read_ = last_read;
    return false;
  }

  [[nodiscard]] bool overflowed() const { return overflowed_; }
  [[nodiscard]] bool met_events() const { return met_events_; }
  [[nodiscard]] bool met_nodes() const { return met_nodes_; }
  [[nodiscard]] bool met_kinds() const { return met_kinds_; }
  [[nodiscard]] bool begun() const { return begun_; }
  [[nodiscard]] bool too_deep() const { return depth_ >= kMostDepth; }
  [[nodiscard]] const std::string& last_read() const { return last_read_; }
  ChromeTrace take() {
    if (trace_.workers == 0) trace_.workers = std::max<std::int64_t>(1, largest_group_);
    return std::move(trace_);
  }
  [[nodiscard]] const std::vector<TraceSpan>& steps() const { return steps_; }

 private:
  static constexpr int kMostDepth = 100;
  static constexpr std::size_t kMostTensors = 4;  // per operator with parameters
  static constexpr std::size_t kMostSizes = 8;    // per tensor
  static constexpr std::size_t kMostSteps = 1'000'000;
  static constexpr double kMostWhole = 9e18;

  static bool is_shapes(std::string_view argument) { return argument == "Input Dims"; }
  static bool is_types(std::string_view argument) {
    return argument == "Input type" || argument == "Input Types" || argument == "Input types";
  }
  [[nodiscard]] bool in_event() const { return in_list_ && depth_ >= first_; }
  /// 0: of the event itself, 1: of its `args`, 2: of a list in there, 3: of a list in that.
  [[nodiscard]] int level() const { return depth_ - first_; }

  bool number(double value, std::int64_t whole) {
    if (depth_ == 2 && area_ == "distributedInfo") {
      if (key_ == "world_size" && whole > 0) trace_.workers = whole;
      if (key_ == "rank") trace_.rank = whole;
    }
    if (!in_event()) return true;
    if (level() == 0) {
      if (key_ == "ts") event_.start_us = value;
      if (key_ == "dur") event_.duration_us = value;
      if (key_ == "tid") event_.thread = whole;
      if (key_ == "pid") event_.process = process_of(std::to_string(whole));
    } else if (level() == 1) {
      if (key_ == "correlation" || key_ == "Correlation ID") event_.correlation = whole;
      if (key_ == "Sequence number") event_.sequence = whole;
      if (key_ == "In msg nelems") event_.numbers = whole;
      if (key_ == "Group size") largest_group_ = std::max(largest_group_, whole);
      if (key_ == "device" && whole == static_cast<std::int16_t>(whole)) {
        event_.device = static_cast<std::int16_t>(whole);
      }
    } else if (level() == 3 && is_shapes(argument_) && !shapes_.empty() &&
               shapes_.back().size() < kMostSizes) {
      shapes_.back().push_back(whole);
    }
    return true;
  }

  void begin_event() {
    met_events_ = true;
    event_ = {};
    for (std::string* each : {&name_, &category_, &phase_, &argument_, &label_}) {
      each->clear();
    }
    shapes_.clear();
    types_.clear();
  }

  void end_event() {
    constexpr double kMost_us = 1e18;  // larger than any clock; also excludes NaN
    const bool is_timed = std::abs(event_.start_us) < kMost_us && event_.duration_us >= 0 &&
                          event_.duration_us < kMost_us;
    const std::optional<TraceKind> kind = kind_of(category_);
    if (phase_ == "M") label_process();
    if (phase_ != "X" || !kind) return;
    met_kinds_ = true;
    if (!is_timed) {
      if (*kind == TraceKind::device) ++trace_.untimed;
      return;
    }
    const bool is_step = *kind == TraceKind::op && name_.starts_with(kStepName);
    if (is_step && steps_.size() < kMostSteps) steps_.push_back({event_.start_us, event_.end_us()});
    if (overflowed_) return;
    if (!is_asked_for(is_step)) {
      ++trace_.passed_over;
      return;
    }
    if (trace_.events.size() + beside_ >= asked_.most_events) {
      overflowed_ = true;
      trace_.events = {};
      trace_.arguments = {};
      return;
    }
    event_.kind = *kind;
    event_.name = number_of(name_);
    name_collective();
    if (*kind == TraceKind::op && !weight_arguments(name_).empty()) add_arguments();
    trace_.events.push_back(event_);
  }

  // Arguments take precedence over the name.
  void name_collective() {
    if (event_.collective != TraceCollective::none || event_.kind == TraceKind::launch) return;
    const bool is_one =
        event_.kind == TraceKind::op ? is_collective_op(name_) : is_collective_kernel(name_);
    if (is_one) event_.collective = collective_called(name_);
  }

  std::uint16_t process_of(const std::string& id) {
    constexpr std::size_t kMost = 65'535;
    std::vector<TraceProcess>& all = trace_.processes;
    const auto [place, is_new] = processes_.emplace(id, static_cast<std::uint16_t>(all.size()));
    if (!is_new) return place->second;
    if (all.size() < kMost) {
      all.push_back({id, rank_in(id)});
    } else {
      processes_.erase(place);
    }
    return static_cast<std::uint16_t>(all.size() - 1);
  }

  void label_process() {
    if (trace_.processes.empty()) return;
    int& rank = trace_.processes[event_.process].rank;
    if (rank < 0) rank = rank_in(label_);
  }

  [[nodiscard]] bool is_asked_for(bool is_step) const {
    if (!asked_.span) return true;
    if (is_step) return asked_.span->has(event_.start_us) && event_.start_us < asked_.steps_end_us;
    return asked_.span->overlaps({event_.start_us, event_.end_us()});
  }

  std::uint32_t number_of(const std::string& name) {
    const auto [place, is_new] =
        numbers_.emplace(name, static_cast<std::uint32_t>(trace_.names.size()));
    constexpr std::size_t kAnEvent = 64;  // bytes
    if (is_new) {
      trace_.names.push_back(name);
      beside_ += 2 + 2 * name.size() / kAnEvent;
    }
    return place->second;
  }

  void add_arguments() {
    if (shapes_.empty()) return;
    std::vector<TraceTensor> tensors(std::min(shapes_.size(), kMostTensors));
    beside_ += 2 * tensors.size();
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      tensors[i].shape = shapes_[i];
      if (i < types_.size()) tensors[i].type = types_[i];
    }
    trace_.arguments.push_back(std::move(tensors));
    event_.arguments = static_cast<std::uint32_t>(trace_.arguments.size());
  }

  Asked asked_;
  ChromeTrace trace_;
  std::unordered_map<std::string, std::uint32_t> numbers_;    // index of each name
  std::unordered_map<std::string, std::uint16_t> processes_;  // index of each id
  std::int64_t largest_group_ = 0;
  std::size_t beside_ = 0;  // memory of names and tensors, in events
  std::vector<TraceSpan> steps_;
  int depth_ = 0;
  int first_ = 3;         // depth of an event
  std::string area_;      // key of the enclosing top-level value
  bool in_list_ = false;  // list of events
  std::string key_;
  // The current event.
  TraceEvent event_;
  std::string name_;
  std::string category_;
  std::string phase_;
  std::string argument_;  // key in `args`
  std::string label_;     // of a process
  std::vector<std::vector<std::int64_t>> shapes_;
  std::vector<std::string> types_;
  bool met_events_ = false;
  bool met_kinds_ = false;  // some events are of known kinds
  bool met_nodes_ = false;  // of a graph
  bool overflowed_ = false;
  bool begun_ = false;     // an object or a list
  std::string last_read_;  // before an error
};

// Replaces characters outside printable ASCII, which may not be text at all.
std::string shown(std::string text) {
  for (char& c : text) c = c >= ' ' && c <= '~' ? c : '?';
  return text;
}

[[noreturn]] void fail_broken(const std::string& path, const TraceHandler& handler,
                              const TraceText& text) {
  constexpr std::string_view kReads =
      "give a trace that export_chrome_trace of torch.profiler wrote, .json or .json.gz";
  if (handler.too_deep()) {
    throw InputError(
        fmt::format("{}: the JSON at byte {} is nested deeper than that of any trace; {}", path,
                    text.taken(), kReads));
  }
  if (text.at_end() && handler.begun()) {
    throw InputError(fmt::format(
        "{}: ends early, at byte {}; write the trace again, and let the program run until it is "
        "written",
        path, text.taken()));
  }
  if (text.at_end() && handler.last_read().find_first_not_of(' ') == std::string::npos) {
    throw InputError(fmt::format("{}: empty; {}", path, kReads));
  }
  throw InputError(fmt::format("{}: is not JSON at byte {} (last read: '{}'); {}", path,
                               text.taken(), shown(handler.last_read()), kReads));
}

TraceHandler parse(const std::string& path, const Asked& asked) {
  TraceText text(path);
  TraceHandler handler(asked);
  if (!Json::sax_parse(text.begin(), text.end(), &handler)) fail_broken(path, handler, text);
  if (!handler.met_events()) {
    throw InputError(fmt::format(
        "{}: {}: has no list traceEvents with events; write a trace with torch.profiler's "
        "export_chrome_trace",
        path,
        handler.met_nodes() ? "an execution trace (Chakra) or a graph, but no trace with times"
                            : "JSON, but no trace"));
  }
  if (!handler.met_kinds()) {
    throw InputError(fmt::format(
        "{}: no event has a category (cat) of torch.profiler, such as cpu_op or kernel, so another "
        "program wrote it; write a trace with torch.profiler's export_chrome_trace",
        path));
  }
  return handler;
}

}  // namespace

ChromeTrace read_chrome_trace(const std::string& path, std::size_t most_events) {
  TraceHandler handler = parse(path, {most_events, std::nullopt});
  if (handler.overflowed()) {
    const std::vector<TraceSpan> steps = measured_steps(handler.steps());
    if (steps.empty()) {
      throw InputError(fmt::format(
          "{}: more than {} events, but no step among them; mark steps by calling step() of "
          "torch.profiler.profile, or write a shorter trace",
          path, most_events));
    }
    constexpr std::size_t kSteps = 6;  // three of them are measured
    const std::size_t first = steps.size() > kSteps ? (steps.size() - kSteps) / 2 : 0;
    const TraceSpan& last = steps[std::min(steps.size(), first + kSteps) - 1];
    // The device is at most a step behind the host.
    const double behind_us = last.end_us - last.start_us;
    handler = parse(path, {most_events, TraceSpan{steps[first].start_us, last.end_us + behind_us},
                           last.end_us});
    if (handler.overflowed()) {
      throw InputError(
          fmt::format("{}: more than {} events in {} steps; profile a smaller model, or "
                      "without stacks",
                      path, most_events, kSteps));
    }
  }
  ChromeTrace trace = handler.take();
  trace.source = path;
  return trace;
}

}  // namespace foretrain
