// A hand-written encoder of three small messages, so that the build needs no protocol compiler.
#include "reports/record/tensorboard.h"

#include "reports/record/downsampled.h"

#include <boost/crc.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <map>
#include <utility>
#include <vector>

namespace foretrain {
namespace {

// Protocol buffers' wire format: a key is the number of the field with the encoding of its value.
enum class Wire : unsigned { varint = 0, eight_bytes = 1, delimited = 2, four_bytes = 5 };

void put_little_endian(std::string& out, std::unsigned_integral auto value) {
  for (std::size_t i = 0; i < sizeof(value); ++i)
    out += static_cast<char>((value >> (8 * i)) & 0xFF);
}

void put_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>((value & 0x7F) | 0x80);
  out += static_cast<char>(value);
}

void put_key(std::string& out, unsigned field, Wire wire) {
  put_varint(out, field << 3 | static_cast<unsigned>(wire));
}

void put_text(std::string& out, unsigned field, std::string_view text) {
  put_key(out, field, Wire::delimited);
  put_varint(out, text.size());
  out += text;
}

// Field numbers of the public messages tensorflow.Event, Summary, Summary.Value
// (tensorflow/core/util/event.proto, tensorflow/core/framework/summary.proto).
constexpr unsigned kEventWallTime = 1;
constexpr unsigned kEventStep = 2;
constexpr unsigned kEventFileVersion = 3;
constexpr unsigned kEventSummary = 5;
constexpr unsigned kSummaryValue = 1;
constexpr unsigned kValueTag = 1;
constexpr unsigned kValueSimple = 2;

/// A double resolves a tenth of a microsecond for today's dates.
double seconds_of(WallTime time) {
  return std::chrono::duration<double>(time.time_since_epoch()).count();
}

std::string event_at(double wall_time_s, std::int64_t step) {
  std::string event;
  put_key(event, kEventWallTime, Wire::eight_bytes);
  put_little_endian(event, std::bit_cast<std::uint64_t>(wall_time_s));
  put_key(event, kEventStep, Wire::varint);
  put_varint(event, static_cast<std::uint64_t>(step));
  return event;
}

std::string first_event(WallTime zero) {
  std::string event = event_at(seconds_of(zero), 0);
  put_text(event, kEventFileVersion, "brain.Event:2");
  return event;
}

struct Point {
  Instant time;
  std::int64_t update;
  double value;
};

/// The points of one tag, downsampled from `count` to about `most`.
class Series {
 public:
  Series(std::string tag, std::size_t count, std::size_t most)
      : tag_(std::move(tag)), thinning_(count, most) {}

  void add(const Point& point) {
    thinning_.add(point.value, point, [&](std::size_t, const Point& drawn) {
      if (std::isfinite(drawn.value)) drawn_.push_back(drawn);
    });
  }
  [[nodiscard]] const std::string& tag() const { return tag_; }
  [[nodiscard]] const std::vector<Point>& drawn() const { return drawn_; }

 private:
  std::string tag_;
  Thinning<Point> thinning_;
  std::vector<Point> drawn_;
};

std::string scalar_event(const std::string& tag, const Point& point, WallTime zero) {
  std::string value;
  put_text(value, kValueTag, tag);
  put_key(value, kValueSimple, Wire::four_bytes);
  put_little_endian(value, std::bit_cast<std::uint32_t>(static_cast<float>(point.value)));
  std::string summary;
  put_text(summary, kSummaryValue, value);
  std::string event = event_at(seconds_of(zero) + point.time.seconds(), point.update);
  put_text(event, kEventSummary, summary);
  return event;
}

using AllSeries = std::vector<Series>;

/// A tag with its figure of a row.
template <class Row>
struct Tagged {
  const char* tag;
  double (*of)(const Row&);
};

double known_rate(const Used& each, Bytes bytes) {
  return bytes.value < 0 ? std::nan("") : each.rate(bytes);
}

constexpr Tagged<EvalReport> kOfEvals[] = {
    {"test/loss", [](const EvalReport& e) { return e.loss; }},
    {"test/accuracy", [](const EvalReport& e) { return e.accuracy; }},
    {"test/auc", [](const EvalReport& e) { return e.auc; }},
};
constexpr Tagged<StepReport> kOfSteps[] = {
    {"loss/", [](const StepReport& r) { return r.loss; }},
    {"step_time_s/",
     [](const StepReport& r) { return (length_of(r.phases) - r.phases.evaluate).seconds(); }},
    {"staleness/", [](const StepReport& r) { return static_cast<double>(r.staleness); }},
};
constexpr Tagged<Used> kOfUsage[] = {
    {"cpu_percent/",
     [](const Used& u) { return 100 * u.rate(u.row->cpu_user_s + u.row->cpu_system_s); }},
    {"rss_bytes/",
     [](const Used& u) {
       return u.row->rss.value < 0 ? std::nan("") : static_cast<double>(u.row->rss.value);
     }},
    {"tx_bytes_per_s/", [](const Used& u) { return u.rate(u.row->tx); }},
    {"rx_bytes_per_s/", [](const Used& u) { return u.rate(u.row->rx); }},
    {"nic_tx_bytes_per_s/", [](const Used& u) { return known_rate(u, u.row->nic_tx); }},
    {"nic_rx_bytes_per_s/", [](const Used& u) { return known_rate(u, u.row->nic_rx); }},
};

void add_evals(const std::vector<EvalReport>& rows, std::size_t most, AllSeries& to) {
  for (const auto& [tag, of] : kOfEvals) {
    Series& series = to.emplace_back(tag, rows.size(), most);
    for (const EvalReport& e : rows) series.add({e.time, e.version.value, of(e)});
  }
}

/// Maps a number of gradients to the number of updates they make, proportionally to the totals.
class Updates {
 public:
  Updates(std::int64_t gradients, std::int64_t updates)
      : gradients_(gradients), updates_(std::max<std::int64_t>(0, updates)) {}

  /// Rounded up, so that all gradients of an update get the number after it, at which a step ends.
  [[nodiscard]] std::int64_t after(std::int64_t gradients) const {
    if (gradients_ == 0) return 0;
    const std::int64_t done = std::min(gradients, gradients_);
    const std::int64_t whole = updates_ / gradients_;
    const std::int64_t rest = updates_ % gradients_;
    return done * whole + (done * rest + gradients_ - 1) / gradients_;
  }

 private:
  std::int64_t gradients_;
  std::int64_t updates_;
};

/// Number of finished gradients of all workers at the times of usage rows.
class GradientsDone {
 public:
  GradientsDone(const Record& record, const Steps& steps) {
    for (const UsageRow& row : record.usage) times_.push_back(row.time);
    std::ranges::sort(times_);
    times_.erase(std::unique(times_.begin(), times_.end()), times_.end());
    done_.resize(times_.size());
    steps([&](const StepRow& row) {
      const std::size_t first = place_of(row.report.start + length_of(row.report.phases));
      if (first < done_.size()) ++done_[first];
    });
    for (std::size_t i = 1; i < done_.size(); ++i) done_[i] += done_[i - 1];
  }
  /// `time` is that of a usage row.
  [[nodiscard]] std::int64_t at(Instant time) const { return done_[place_of(time)]; }

 private:
  /// Index of the first time that is not before `time`.
  [[nodiscard]] std::size_t place_of(Instant time) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(times_, time) - times_.begin());
  }

  std::vector<Instant> times_;      // sorted, without duplicates
  std::vector<std::int64_t> done_;  // at these times
};

void add_usage(const std::string& node, const std::vector<const UsageRow*>& rows,
               const GradientsDone& done, const Updates& updates, std::size_t most, AllSeries& to) {
  if (rows.empty()) return;
  const std::vector<Used> used = used_by(rows);
  for (const auto& [tag, of] : kOfUsage) {
    Series& series = to.emplace_back(tag + node, used.size(), most);
    for (const Used& u : used) {
      series.add({u.row->time, updates.after(done.at(u.row->time)), of(u)});
    }
  }
}

std::string file_of(const AllSeries& all, WallTime zero) {
  std::vector<std::pair<const Series*, const Point*>> events;
  for (const Series& each : all) {
    for (const Point& point : each.drawn()) events.emplace_back(&each, &point);
  }
  if (events.empty()) return {};
  std::ranges::stable_sort(events, {}, [](const auto& event) { return event.second->time; });
  std::string text = framed(first_event(zero));
  for (const auto& [each, point] : events) text += framed(scalar_event(each->tag(), *point, zero));
  return text;
}

}  // namespace

std::uint32_t masked_crc32c(std::string_view data) {
  boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> castagnoli;
  castagnoli.process_bytes(data.data(), data.size());
  const auto crc = static_cast<std::uint32_t>(castagnoli.checksum());
  return std::rotr(crc, 15) + 0xA282EAD8U;
}

std::string framed(std::string_view data) {
  std::string frame;
  frame.reserve(data.size() + 16);
  put_little_endian(frame, std::uint64_t{data.size()});
  put_little_endian(frame, masked_crc32c(frame));
  frame += data;
  put_little_endian(frame, masked_crc32c(data));
  return frame;
}

std::string tensorboard_events(const Record& record, const Steps& steps, WallTime zero) {
  const std::vector<StepsOfNode> counts = count_steps(steps, record.nodes.size());
  const auto usage = usage_by_node(record);
  const std::vector<int> shown = shown_nodes(record, counts, kMostNodesShown);
  std::size_t count = std::size(kOfEvals);
  std::int64_t gradients = 0;
  for (const StepsOfNode& of_node : counts) gradients += static_cast<std::int64_t>(of_node.count);
  for (const int node : shown) {
    const auto index = static_cast<std::size_t>(node);
    count += counts[index].count > 0 ? std::size(kOfSteps) : 0;
    count += usage[index].empty() ? 0 : std::size(kOfUsage);
  }
  const Updates updates(gradients, record.updates);
  const GradientsDone done(record, steps);
  const std::size_t most = kMostEvents / count;
  AllSeries all;
  all.reserve(count);
  add_evals(record.evals, most, all);
  std::map<int, std::size_t> of_worker;  // index of its first series
  for (const int node : shown) {
    const auto index = static_cast<std::size_t>(node);
    const std::string& role = record.nodes[index].role;
    if (const std::size_t rows = counts[index].count; rows > 0) {
      of_worker[node] = all.size();
      for (const auto& [tag, of] : kOfSteps) all.emplace_back(tag + role, rows, most);
    }
    add_usage(role, usage[index], done, updates, most, all);
  }
  std::int64_t so_far = 0;
  steps([&](const StepRow& row) {
    ++so_far;
    const auto found = of_worker.find(row.worker);
    if (found == of_worker.end()) return;
    const StepReport& step = row.report;
    for (std::size_t i = 0; i < std::size(kOfSteps); ++i) {
      all[found->second + i].add(
          {step.start + length_of(step.phases), updates.after(so_far), kOfSteps[i].of(step)});
    }
  });
  return file_of(all, zero);
}

}  // namespace foretrain
