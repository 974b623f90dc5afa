#include "reports/record/timeline.h"

#include "reports/record/shown.h"
#include "reports/record/tensorboard.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

namespace foretrain {
namespace {

using Json = nlohmann::ordered_json;

std::string quoted(const std::string& text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Microseconds with the three decimals of their nanoseconds.
std::string us(std::int64_t ns) {
  const auto bits = static_cast<std::uint64_t>(ns);
  const std::uint64_t size = ns < 0 ? 0 - bits : bits;  // the least integer has no positive twin
  return fmt::format("{}{}.{:03}", ns < 0 ? "-" : "", size / 1000, size % 1000);
}
std::string us(Instant time) { return us(time.ns); }
std::string us(Duration time) { return us(time.ns); }

std::string number(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "null";
}

/// Events of one node; Perfetto takes process 0 for the idle task.
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

/// Steps that are not drawn one by one; the phases are what all of them come to.
void draw_between(Track& track, std::span<const StepRow* const> rows) {
  Phases sum;
  Duration longest;
  for (const StepRow* row : rows) {
    const Phases& p = row->report.phases;
    sum += p;
    longest = std::max(longest, length_of(p));
  }
  const StepReport& first = rows.front()->report;
  const StepReport& last = rows.back()->report;
  track.slice(fmt::format("{} steps", rows.size()), first.start,
              last.start + length_of(last.phases) - first.start,
              fmt::format(R"("first":{},"last":{},"longest_s":{})", first.step.value,
                          last.step.value, longest.seconds()));
  draw_phases(track, first.start, sum);
}

void draw_steps(Track& track, const std::vector<const StepRow*>& rows, std::size_t most) {
  std::vector<double> lengths;
  lengths.reserve(rows.size());
  for (const StepRow* row : rows) lengths.push_back(length_of(row->report.phases).seconds());
  std::size_t next = 0;
  for (const std::size_t drawn : thinned(lengths, most)) {
    if (drawn > next) draw_between(track, std::span(rows).subspan(next, drawn - next));
    draw_step(track, rows[drawn]->report);
    next = drawn + 1;
  }
}

void draw_final_evaluation(Track& track, const std::vector<EvalReport>& evals) {
  for (const EvalReport& e : evals) {
    if (!e.final) continue;
    track.slice("final evaluation", e.time, e.took,
                fmt::format(R"("loss":{},"accuracy":{})", number(e.loss), number(e.accuracy)));
  }
}

/// A level holds until the next one is told.
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

std::string heading(const Record& record) {
  const Json told{{"scenario", record.scenario_case.scenario.name},
                  {"case", title_of(record.scenario_case)},
                  {"mode", name_of(record.mode)},
                  {"machine", record.machine}};
  return fmt::format("{{\"displayTimeUnit\":\"ms\",\"otherData\":{},\"traceEvents\":[\n",
                     told.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace

std::string timeline_json(const Record& record) {
  fmt::memory_buffer events;
  const auto steps = steps_by_worker(record);
  const auto usage = usage_by_node(record);
  const std::vector<int> shown = shown_nodes(record, kMostNodesShown);
  std::size_t all = 0;
  for (const int node : shown) all += steps[static_cast<std::size_t>(node)].size();
  const std::size_t most = kMostStepsDrawn / std::max<std::size_t>(1, shown.size());
  for (const int node : shown) {
    const auto index = static_cast<std::size_t>(node);
    const NodeTotals& totals = record.nodes[index];
    Track track(events, node);
    track.describe("process_name", "name", quoted(totals.role + " on " + totals.host));
    track.describe("process_sort_index", "sort_index", fmt::format("{}", node));
    track.describe("thread_name", "name", quoted(totals.role));
    draw_steps(track, steps[index], all <= kMostStepsDrawn ? all : most);
    if (node == 0) draw_final_evaluation(track, record.evals);
    draw_usage(track, usage[index], most);
  }
  // Each event brings its comma; the first has none before it.
  const std::string_view text(events.data(), events.size());
  return heading(record) + std::string(text.substr(std::min<std::size_t>(text.size(), 2))) +
         "\n]}\n";
}

}  // namespace foretrain
