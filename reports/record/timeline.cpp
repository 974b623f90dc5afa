#include "reports/record/timeline.h"

#include "reports/record/downsampled.h"
#include "reports/record/tensorboard.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <string_view>
#include <variant>
#include <vector>

namespace foretrain {
namespace {

using Json = nlohmann::ordered_json;

std::string quoted(const std::string& text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Microseconds with three decimals, which are the nanoseconds.
std::string us(std::int64_t ns) {
  const auto bits = static_cast<std::uint64_t>(ns);
  const std::uint64_t size = ns < 0 ? 0 - bits : bits;  // the smallest integer cannot be negated
  return fmt::format("{}{}.{:03}", ns < 0 ? "-" : "", size / 1000, size % 1000);
}
std::string us(Instant time) { return us(time.ns); }
std::string us(Duration time) { return us(time.ns); }

std::string number(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "null";
}

/// Events of one node, as process `node` + 1, since Perfetto reserves 0 for the idle task.
class Track {
 public:
  Track(fmt::memory_buffer& out, int node) : out_(out), process_(node + 1) {}

  void describe(const char* what, const std::string& key, const std::string& value) {
    begin('M', what);
    fmt::format_to(to(), R"(,"args":{{"{}":{}}}}})", key, value);
  }
  void slice(std::string_view name, Instant start, Duration length, const std::string& arguments) {
    begin('X', name);
    fmt::format_to(to(), R"(,"ts":{},"dur":{})", us(start), us(length));
    if (!arguments.empty()) fmt::format_to(to(), R"(,"args":{{{}}})", arguments);
    fmt::format_to(to(), "}}");
  }
  void counter(std::string_view name, Instant time, const std::string& arguments) {
    begin('C', name);
    fmt::format_to(to(), R"(,"ts":{},"args":{{{}}}}})", us(time), arguments);
  }

 private:
  void begin(char kind, std::string_view name) {
    fmt::format_to(to(),
                   ",\n"
                   R"({{"ph":"{}","pid":{},"tid":{},"name":"{}")",
                   kind, process_, process_, name);
  }
  std::back_insert_iterator<fmt::memory_buffer> to() { return std::back_inserter(out_); }

  fmt::memory_buffer& out_;
  int process_;
};

void draw_phases(Track& track, Instant at, const Phases& p) {
  for (const auto& [name, of] : kPhases<Duration>) {
    const Duration length = p.*of;
    if (length.ns > 0) track.slice(name, at, length, {});
    at = at + length;
  }
}

void draw_step(Track& track, const StepReport& step) {
  track.slice(fmt::format("step {}", step.step.value), step.start, length_of(step.phases),
              fmt::format(R"("staleness":{},"loss":{})", step.staleness, number(step.loss)));
  draw_phases(track, step.start, step.phases);
}

/// Consecutive steps that are drawn as one slice, with the sum of their phases.
struct Between {
  std::size_t count = 0;
  Step first;
  Step last;
  Instant from;
  Instant to;
  Duration longest;
  Phases sum;

  void add(const StepReport& step) {
    if (count++ == 0) {
      first = step.step;
      from = step.start;
    }
    last = step.step;
    to = step.start + length_of(step.phases);
    longest = std::max(longest, length_of(step.phases));
    sum += step.phases;
  }
};

void draw_between(Track& track, const Between& steps) {
  track.slice(fmt::format("{} steps", steps.count), steps.from, steps.to - steps.from,
              fmt::format(R"("first":{},"last":{},"longest_s":{})", steps.first.value,
                          steps.last.value, steps.longest.seconds()));
  draw_phases(track, steps.from, steps.sum);
}

/// Draws the steps of one worker as they arrive: about `most` of `count` become single slices.
class DrawnSteps {
 public:
  DrawnSteps(std::size_t count, std::size_t most) : thinning_(count, most) {}

  void add(const StepReport& step, Track& track) {
    waiting_.push_back(step);
    const double length_s = length_of(step.phases).seconds();
    thinning_.add(length_s, {}, [&](std::size_t place, std::monostate) { draw(place, track); });
  }

 private:
  void draw(std::size_t place, Track& track) {
    const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(place - first_);
    Between between;
    for (auto step = waiting_.begin(); step != end; ++step) between.add(*step);
    if (between.count > 0) draw_between(track, between);
    draw_step(track, *end);
    waiting_.erase(waiting_.begin(), end + 1);
    first_ = place + 1;
  }

  Thinning<std::monostate> thinning_;
  std::vector<StepReport> waiting_;  // steps since the last one drawn
  std::size_t first_ = 0;            // index of the first of them
};

void draw_final_evaluation(Track& track, const std::vector<EvalReport>& evals) {
  for (const EvalReport& e : evals) {
    if (!e.final) continue;
    track.slice("final evaluation", e.time, e.took,
                fmt::format(R"("loss":{},"accuracy":{})", number(e.loss), number(e.accuracy)));
  }
}

/// A counter event applies until the next one.
void draw_usage(Track& track, const std::vector<const UsageRow*>& rows, std::size_t most) {
  const std::vector<Used> used = used_by(rows);
  std::vector<double> cpu;
  cpu.reserve(used.size());
  for (const Used& u : used) cpu.push_back(u.rate(u.row->cpu_user_s + u.row->cpu_system_s));
  for (const std::size_t i : thinned(cpu, most)) {
    const Used& u = used[i];
    if (std::isfinite(cpu[i])) {
      track.counter("CPU [%]", u.from,
                    fmt::format(R"("user":{:.2f},"system":{:.2f})", 100 * u.rate(u.row->cpu_user_s),
                                100 * u.rate(u.row->cpu_system_s)));
    }
    track.counter("traffic [MB/s]", u.from,
                  fmt::format(R"("sent":{:.3f},"received":{:.3f})", u.rate(u.row->tx) / 1e6,
                              u.rate(u.row->rx) / 1e6));
    if (u.row->rss.value < 0) continue;
    track.counter("memory [MB]", u.row->time,
                  fmt::format(R"("resident":{:.3f})", static_cast<double>(u.row->rss.value) / 1e6));
  }
}

/// The events of a node.
struct NodeEvents {
  NodeEvents(std::size_t count, std::size_t most) : steps(count, most) {}
  fmt::memory_buffer events;
  DrawnSteps steps;
};

std::string heading(const Record& record) {
  const Json told{{"scenario", record.scenario_case.scenario.name},
                  {"case", title_of(record.scenario_case)},
                  {"mode", name_of(record.mode)},
                  {"machine", record.machine}};
  return fmt::format("{{\"displayTimeUnit\":\"ms\",\"otherData\":{},\"traceEvents\":[\n",
                     told.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace

std::string timeline_json(const Record& record, const Steps& steps) {
  const std::vector<StepsOfNode> counts = count_steps(steps, record.nodes.size());
  const auto usage = usage_by_node(record);
  const std::vector<int> shown = shown_nodes(record, counts, kMostNodesShown);
  std::size_t all = 0;
  for (const int node : shown) all += counts[static_cast<std::size_t>(node)].count;
  const std::size_t share = kMostStepsDrawn / std::max<std::size_t>(1, shown.size());
  const std::size_t most = all <= kMostStepsDrawn ? all : share;
  std::map<int, NodeEvents> nodes;
  for (const int node : shown) {
    NodeEvents& drawn =
        nodes.try_emplace(node, counts[static_cast<std::size_t>(node)].count, most).first->second;
    const NodeTotals& totals = record.nodes[static_cast<std::size_t>(node)];
    Track track(drawn.events, node);
    track.describe("process_name", "name", quoted(totals.role + " on " + totals.host));
    track.describe("process_sort_index", "sort_index", fmt::format("{}", node));
    track.describe("thread_name", "name", quoted(totals.role));
  }
  steps([&](const StepRow& row) {
    const auto found = nodes.find(row.worker);
    if (found == nodes.end()) return;
    Track track(found->second.events, row.worker);
    found->second.steps.add(row.report, track);
  });
  fmt::memory_buffer events;
  for (auto& [node, drawn] : nodes) {
    Track track(drawn.events, node);
    if (node == 0) draw_final_evaluation(track, record.evals);
    draw_usage(track, usage[static_cast<std::size_t>(node)], share);
    events.append(drawn.events);
  }
  // Each event begins with a comma and a line feed, which the first one must not have.
  const std::string_view text(events.data(), events.size());
  return heading(record) + std::string(text.substr(std::min<std::size_t>(text.size(), 2))) +
         "\n]}\n";
}

}  // namespace foretrain
