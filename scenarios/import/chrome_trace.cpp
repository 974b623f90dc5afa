// Chrome traces as they stream by: no value is held but those of the event that is read.
#include "scenarios/import/chrome_trace.h"

#include "scenarios/import/trace_steps.h"
#include "scenarios/import/weight_arguments.h"
#include "scenarios/input_error.h"

#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace foretrain {
namespace {

using Json = nlohmann::json;

std::optional<TraceKind> kind_of(std::string_view category) {
  struct Category {
    std::string_view name;
    TraceKind kind;
  };
  static constexpr std::array kCategories{
      Category{"cpu_op", TraceKind::op},          Category{"user_annotation", TraceKind::op},
      Category{"Operator", TraceKind::op},        Category{"cuda_runtime", TraceKind::launch},
      Category{"cuda_driver", TraceKind::launch}, Category{"Runtime", TraceKind::launch},
      Category{"kernel", TraceKind::device},      Category{"Kernel", TraceKind::device},
      Category{"gpu_memcpy", TraceKind::device},  Category{"Memcpy", TraceKind::device},
      Category{"gpu_memset", TraceKind::device},  Category{"Memset", TraceKind::device}};
  const auto* const known = std::ranges::find(kCategories, category, &Category::name);
  if (known == kCategories.end()) return std::nullopt;
  return known->kind;
}

// `25738`, `stream 7`: the number that stands in it; else one of its own, below zero.
std::int64_t thread_of(std::string_view text) {
  const std::size_t digit = text.find_first_of("0123456789");
  std::int64_t number = 0;
  if (digit != std::string_view::npos &&
      std::from_chars(text.data() + digit, text.data() + text.size(), number).ec == std::errc{}) {
    return number;
  }
  return -1 - static_cast<std::int64_t>(std::hash<std::string_view>{}(text) >> 2);
}

/// What is asked of a trace. @see read_chrome_trace
struct Asked {
  std::size_t most_events;
  std::optional<TraceSpan> span;  // empty: everything
  double steps_end_us = 0;        // within the span: no step that begins later
};

/// Told of each value in turn; keeps the events that are asked for.
class TraceHandler : public nlohmann::json_sax<Json> {
 public:
  explicit TraceHandler(const Asked& asked) : asked_(asked) {}

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
    if (level() == 0 && key_ == "tid") event_.thread = thread_of(text);
    if (level() == 1 && key_ == "dtype") {
      event_.width = static_cast<std::uint8_t>(width_of_type(text).value_or(0));
    }
    if (level() == 2 && is_types(argument_)) types_.push_back(text);
    return true;
  }

  bool start_object(std::size_t) override {
    begun_ = true;
    ++depth_;
    if (in_event() && level() == 0) begin_event();
    return true;
  }
  bool end_object() override {
    if (in_event() && level() == 0) end_event();
    --depth_;
    return true;
  }
  bool start_array(std::size_t) override {
    begun_ = true;
    ++depth_;
    if (depth_ == 1) area_ = "traceEvents";  // the whole file is the list
    if (depth_ == 1) first_ = 2;
    if (in_event() && level() == 3 && is_shapes(argument_)) shapes_.emplace_back();
    return true;
  }
  bool end_array() override {
    --depth_;
    return true;
  }
  bool key(string_t& text) override {
    if (depth_ == 1) area_ = text;
    if (in_event() && level() == 1) argument_ = text;
    key_ = text;
    return true;
  }
  bool parse_error(std::size_t position, const std::string& last_read,
                   const Json::exception&) override {
    broken_at_ = position;
    last_read_ = last_read;
    return false;
  }

  [[nodiscard]] bool overflowed() const { return overflowed_; }
  [[nodiscard]] bool met_events() const { return met_events_; }
  [[nodiscard]] bool begun() const { return begun_; }
  [[nodiscard]] std::size_t broken_at() const { return broken_at_; }
  [[nodiscard]] const std::string& last_read() const { return last_read_; }
  ChromeTrace take() { return std::move(trace_); }
  [[nodiscard]] const std::vector<TraceSpan>& steps() const { return steps_; }

 private:
  static bool is_shapes(std::string_view argument) { return argument == "Input Dims"; }
  static bool is_types(std::string_view argument) {
    return argument == "Input type" || argument == "Input Types" || argument == "Input types";
  }
  [[nodiscard]] bool in_event() const { return area_ == "traceEvents" && depth_ > first_ - 1; }
  /// 0: of the event itself, 1: of its `args`, 2: of a list in there, 3: of a list in that.
  [[nodiscard]] int level() const { return depth_ - first_; }

  bool number(double value, std::int64_t whole) {
    if (area_ == "distributedInfo" && depth_ == 2 && key_ == "world_size" && whole > 0) {
      trace_.workers = whole;
    }
    if (!in_event()) return true;
    if (level() == 0) {
      if (key_ == "ts") event_.start_us = value;
      if (key_ == "dur") event_.duration_us = value;
      if (key_ == "tid") event_.thread = whole;
    } else if (level() == 1) {
      if (key_ == "correlation") event_.correlation = whole;
      if (key_ == "Sequence number") event_.sequence = whole;
      if (key_ == "In msg nelems") event_.numbers = whole;
    } else if (level() == 3 && is_shapes(argument_) && !shapes_.empty()) {
      shapes_.back().push_back(whole);
    }
    return true;
  }

  void begin_event() {
    met_events_ = true;
    event_ = {};
    for (std::string* each : {&name_, &category_, &phase_, &argument_}) each->clear();
    shapes_.clear();
    types_.clear();
  }

  void end_event() {
    constexpr double kMost_us = 1e18;  // beyond any clock; NaN is, too
    const bool is_timed = std::abs(event_.start_us) < kMost_us && event_.duration_us >= 0 &&
                          event_.duration_us < kMost_us;
    const std::optional<TraceKind> kind = kind_of(category_);
    if (phase_ != "X" || !is_timed || !kind) return;
    const bool is_step = *kind == TraceKind::op && name_.starts_with(kStepName);
    if (is_step) steps_.push_back({event_.start_us, event_.end_us()});
    if (overflowed_) return;
    if (!is_asked_for(is_step)) {
      ++trace_.passed_over;
      return;
    }
    if (trace_.events.size() >= asked_.most_events) {
      overflowed_ = true;
      trace_.events = {};
      return;
    }
    event_.kind = *kind;
    event_.name = number_of(name_);
    if (*kind == TraceKind::op && !weight_arguments(name_).empty()) add_arguments();
    trace_.events.push_back(event_);
  }

  [[nodiscard]] bool is_asked_for(bool is_step) const {
    if (!asked_.span) return true;
    if (is_step) return asked_.span->has(event_.start_us) && event_.start_us < asked_.steps_end_us;
    return asked_.span->overlaps({event_.start_us, event_.end_us()});
  }

  std::uint32_t number_of(const std::string& name) {
    const auto [place, is_new] =
        numbers_.emplace(name, static_cast<std::uint32_t>(trace_.names.size()));
    if (is_new) trace_.names.push_back(name);
    return place->second;
  }

  void add_arguments() {
    if (shapes_.empty()) return;
    std::vector<TraceTensor> tensors(shapes_.size());
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      tensors[i].shape = shapes_[i];
      if (i < types_.size()) tensors[i].type = types_[i];
    }
    trace_.arguments.push_back(std::move(tensors));
    event_.arguments = static_cast<std::uint32_t>(trace_.arguments.size());
  }

  Asked asked_;
  ChromeTrace trace_;
  std::unordered_map<std::string, std::uint32_t> numbers_;  // of names
  std::vector<TraceSpan> steps_;
  int depth_ = 0;
  int first_ = 3;     // depth of an event
  std::string area_;  // key of the whole that this is in
  std::string key_;
  // The event that is read.
  TraceEvent event_;
  std::string name_;
  std::string category_;
  std::string phase_;
  std::string argument_;  // key in `args`
  std::vector<std::vector<std::int64_t>> shapes_;
  std::vector<std::string> types_;
  bool met_events_ = false;
  bool overflowed_ = false;
  bool begun_ = false;  // an object, a list
  std::size_t broken_at_ = 0;
  std::string last_read_;  // until it was broken
};

// Its end, short enough for a line. What is no ASCII may be no text at all.
std::string tail_of(std::string_view text) {
  constexpr std::size_t kMost = 40;
  std::string tail = text.size() > kMost ? "..." : "";
  for (const char c : text.substr(text.size() - std::min(text.size(), kMost))) {
    tail += c >= ' ' && c <= '~' ? c : '?';
  }
  return tail;
}

// `at_end`: whoever looked for more found the end of the file.
[[noreturn]] void fail_broken(const std::string& path, const TraceHandler& handler, bool at_end) {
  constexpr std::string_view kReads =
      "read is what export_chrome_trace of torch.profiler writes, .json or .json.gz";
  if (at_end && handler.begun()) {
    throw InputError(fmt::format(
        "{}: cut off at byte {}; write the trace again, with the program going on until it is "
        "written",
        path, handler.broken_at()));
  }
  if (at_end && handler.last_read().empty()) {
    throw InputError(fmt::format("{}: empty; {}", path, kReads));
  }
  throw InputError(fmt::format("{}: no JSON at byte {}: last read: '{}'; {}", path,
                               handler.broken_at(), tail_of(handler.last_read()), kReads));
}

TraceHandler parse(const std::string& path, const Asked& asked) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError(fmt::format("{}: cannot be read; is there such a file?", path));
  const bool zipped = file.get() == 0x1f;  // no JSON begins so
  file.clear();
  file.seekg(0);
  TraceHandler handler(asked);
  constexpr std::streamsize kBuffer = 1 << 16;
  try {
    boost::iostreams::filtering_istream stream;
    if (zipped) stream.push(boost::iostreams::gzip_decompressor(), kBuffer);
    stream.push(file, kBuffer);
    stream.exceptions(std::ios::badbit);
    if (!Json::sax_parse(stream, &handler)) fail_broken(path, handler, stream.eof());
  } catch (const boost::iostreams::gzip_error&) {
    throw InputError(fmt::format("{}: damaged or cut off, as gzip finds; copy it again", path));
  }
  if (!handler.met_events()) {
    throw InputError(fmt::format(
        "{}: JSON, but no trace: there is no list traceEvents with events in it; write one by "
        "torch.profiler's export_chrome_trace",
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
    constexpr std::size_t kSteps = 6;  // of which three are measured
    const std::size_t first = steps.size() > kSteps ? (steps.size() - kSteps) / 2 : 0;
    const TraceSpan& last = steps[std::min(steps.size(), first + kSteps) - 1];
    // The device is behind the host by a step at most.
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
