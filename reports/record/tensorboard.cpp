// The wire encoding of three small messages, by hand: the build then needs no protocol compiler.
#include "reports/record/tensorboard.h"

#include "reports/record/shown.h"

#include <boost/crc.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <span>
#include <utility>
#include <vector>

namespace foretrain {
namespace {

// Protocol buffers' wire format: a key is the field's number and how its value is written.
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

std::string event_at(Instant time, std::int64_t step) {
  std::string event;
  put_key(event, kEventWallTime, Wire::eight_bytes);
  put_little_endian(event, std::bit_cast<std::uint64_t>(time.seconds()));
  put_key(event, kEventStep, Wire::varint);
  put_varint(event, static_cast<std::uint64_t>(step));
  return event;
}

std::string first_event() {
  std::string event = event_at({}, 0);
  put_text(event, kEventFileVersion, "brain.Event:2");
  return event;
}

struct Point {
  Instant time;
  std::int64_t step;
  double value;
};
struct Series {
  std::string tag;
  std::vector<Point> points;
};

std::string scalar_event(const std::string& tag, const Point& point) {
  std::string value;
  put_text(value, kValueTag, tag);
  put_key(value, kValueSimple, Wire::four_bytes);
  put_little_endian(value, std::bit_cast<std::uint32_t>(static_cast<float>(point.value)));
  std::string summary;
  put_text(summary, kSummaryValue, value);
  std::string event = event_at(point.time, point.step);
  put_text(event, kEventSummary, summary);
  return event;
}

class Collected {
 public:
  Series& series(const std::string& tag) { return all_.emplace_back(Series{tag, {}}); }

  [[nodiscard]] std::string file() const {
    std::vector<std::pair<const Series*, const Point*>> events;
    const std::size_t most = kMostEvents / std::max<std::size_t>(1, all_.size());
    for (const Series& each : all_) {
      std::vector<double> values;
      values.reserve(each.points.size());
      for (const Point& point : each.points) values.push_back(point.value);
      for (const std::size_t i : thinned(values, most)) {
        if (std::isfinite(values[i])) events.emplace_back(&each, &each.points[i]);
      }
    }
    if (events.empty()) return {};
    std::ranges::stable_sort(events, {}, [](const auto& event) { return event.second->time; });
    std::string text = framed(first_event());
    for (const auto& [each, point] : events) text += framed(scalar_event(each->tag, *point));
    return text;
  }

 private:
  std::vector<Series> all_;
};

void add_evals(const Record& record, Collected& to) {
  const auto add = [&](const char* tag, double EvalReport::*figure) {
    Series& series = to.series(tag);
    for (const EvalReport& e : record.evals) {
      series.points.push_back({e.time, e.step.value, e.*figure});
    }
  };
  add("test/loss", &EvalReport::loss);
  add("test/accuracy", &EvalReport::accuracy);
  add("test/auc", &EvalReport::auc);
}

void add_steps(const std::string& node, const std::vector<const StepRow*>& rows, Collected& to) {
  const auto add = [&](const char* what, auto figure) {
    Series& series = to.series(what + node);
    series.points.reserve(rows.size());
    for (const StepRow* row : rows) {
      const StepReport& r = row->report;
      series.points.push_back({r.start + length_of(r.phases), r.step.value, figure(r)});
    }
  };
  if (rows.empty()) return;
  add("loss/", [](const StepReport& r) { return r.loss; });
  add("step_time_s/",
      [](const StepReport& r) { return (length_of(r.phases) - r.phases.evaluate).seconds(); });
  add("staleness/", [](const StepReport& r) { return static_cast<double>(r.staleness); });
}

void add_usage(const std::string& node, const std::vector<const UsageRow*>& rows, Collected& to) {
  const std::vector<Used> used = used_by(rows);
  const auto add = [&](const char* what, auto figure) {
    Series& series = to.series(what + node);
    series.points.reserve(used.size());
    for (const Used& each : used) {
      series.points.push_back({each.row->time, each.row->time.ns / 1'000'000, figure(each)});
    }
  };
  const auto known = [](const Used& each, Bytes bytes) {
    return bytes.value < 0 ? std::nan("") : each.rate(bytes);
  };
  if (rows.empty()) return;
  add("cpu_percent/", [](const Used& each) {
    return 100 * each.rate(each.row->cpu_user_s + each.row->cpu_system_s);
  });
  add("rss_bytes/", [](const Used& each) {
    return each.row->rss.value < 0 ? std::nan("") : static_cast<double>(each.row->rss.value);
  });
  add("tx_bytes_per_s/", [](const Used& each) { return each.rate(each.row->tx); });
  add("rx_bytes_per_s/", [](const Used& each) { return each.rate(each.row->rx); });
  add("nic_tx_bytes_per_s/", [&](const Used& each) { return known(each, each.row->nic_tx); });
  add("nic_rx_bytes_per_s/", [&](const Used& each) { return known(each, each.row->nic_rx); });
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

std::string tensorboard_events(const Record& record) {
  Collected all;
  add_evals(record, all);
  const auto steps = steps_by_worker(record);
  const auto usage = usage_by_node(record);
  for (const int node : shown_nodes(record, kMostNodesShown)) {
    const auto index = static_cast<std::size_t>(node);
    add_steps(record.nodes[index].role, steps[index], all);
    add_usage(record.nodes[index].role, usage[index], all);
  }
  return all.file();
}

}  // namespace foretrain
