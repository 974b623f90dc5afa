// Event files: read back record by record, with an independent checksum.
#include "reports/record/tensorboard.h"

#include "reports/record/downsampled.h"
#include "tests/reports/support.h"
#include "tests/support/places.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <sys/wait.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

namespace foretrain {
namespace {

using namespace testing;
using namespace literals;

/// Bit by bit, from the polynomial (RFC 3720, reflected).
std::uint32_t crc32c(std::string_view data) {
  std::uint32_t crc = ~0U;
  for (const char byte : data) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82F63B78U : 0);
  }
  return ~crc;
}

/// The format's mask is a rotation to the right by 15 plus a constant.
std::uint32_t unmasked(std::uint32_t masked) { return std::rotl(masked - 0xA282EAD8U, 15); }

template <class Number>
Number take(std::string_view& text) {
  REQUIRE(text.size() >= sizeof(Number));
  Number number;
  std::copy_n(text.begin(), sizeof(number), reinterpret_cast<char*>(&number));
  text.remove_prefix(sizeof(number));
  return number;
}

std::uint64_t take_varint(std::string_view& text) {
  std::uint64_t value = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = take<unsigned char>(text);
    value |= std::uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) return value;
  }
}

struct Event {
  double wall_time = 0;
  std::int64_t step = 0;
  std::string version;
  std::string tag;
  float value = 0;
};

std::string_view take_text(std::string_view& text) {
  const std::uint64_t size = take_varint(text);
  REQUIRE(size <= text.size());
  const std::string_view taken = text.substr(0, size);
  text.remove_prefix(size);
  return taken;
}

Event parse_event(std::string_view text) {
  Event event;
  while (!text.empty()) {
    const std::uint64_t key = take_varint(text);
    if (key == (1 << 3 | 1)) {
      event.wall_time = take<double>(text);
    } else if (key == (2 << 3 | 0)) {
      event.step = static_cast<std::int64_t>(take_varint(text));
    } else if (key == (3 << 3 | 2)) {
      event.version = take_text(text);
    } else {
      REQUIRE(key == (5 << 3 | 2));
      std::string_view summary = take_text(text);
      REQUIRE(take_varint(summary) == (1 << 3 | 2));
      std::string_view value = take_text(summary);
      CHECK(summary.empty());
      REQUIRE(take_varint(value) == (1 << 3 | 2));
      event.tag = take_text(value);
      REQUIRE(take_varint(value) == (2 << 3 | 5));
      event.value = take<float>(value);
      CHECK(value.empty());
    }
  }
  return event;
}

std::vector<Event> read_events(std::string_view file) {
  std::vector<Event> events;
  while (!file.empty()) {
    const std::string_view length_text = file.substr(0, 8);
    const auto length = take<std::uint64_t>(file);
    REQUIRE(unmasked(take<std::uint32_t>(file)) == crc32c(length_text));
    REQUIRE(length <= file.size());
    const std::string_view data = file.substr(0, length);
    file.remove_prefix(length);
    REQUIRE(unmasked(take<std::uint32_t>(file)) == crc32c(data));
    events.push_back(parse_event(data));
  }
  return events;
}

/// The events of a tag as `step=value`, in order.
std::string points(const std::vector<Event>& events, const std::string& tag) {
  std::string text;
  for (const Event& event : events) {
    if (event.tag == tag) text += fmt::format("{}={:g} ", event.step, event.value);
  }
  return text;
}

}  // namespace

TEST_CASE("tensorboard: the checksum is CRC-32C with known answers") {
  CHECK(unmasked(masked_crc32c("123456789")) == 0xE3069283U);
  CHECK(unmasked(masked_crc32c(std::string(32, '\0'))) == 0x8A9136AAU);
  CHECK(unmasked(masked_crc32c(std::string(32, '\xFF'))) == 0x62A8AB43U);
  CHECK(masked_crc32c("") == 0xA282EAD8U);
}

TEST_CASE("tensorboard: what was written reads back record by record") {
  const std::vector<Event> events =
      read_events(tensorboard_events(small_record(Mode::run, "sync")));
  REQUIRE(!events.empty());
  CHECK(events.front().version == "brain.Event:2");
  CHECK(std::ranges::is_sorted(events, {}, &Event::wall_time));
  CHECK(points(events, "test/loss") == "1=1.5 2=0.75 ");
  CHECK(points(events, "test/accuracy") == "1=0.5 2=0.875 ");
  CHECK(points(events, "test/auc").empty());
  CHECK(points(events, "loss/worker0") == "1=2 2=1 ");
  CHECK(points(events, "step_time_s/worker0") == "1=0.01 2=0.03 ");
  CHECK(points(events, "step_time_s/worker1") == "1=0.02 2=0.05 ");
  CHECK(points(events, "staleness/worker1") == "1=1 2=3 ");
  // 40 ms of user and 10 ms of system time, 300 and 350 bytes in 50 ms: one gradient of update 2.
  CHECK(points(events, "cpu_percent/worker0") == "2=100 ");
  CHECK(points(events, "rss_bytes/worker0") == "2=900000 ");
  CHECK(points(events, "tx_bytes_per_s/worker0") == "2=6000 ");
  CHECK(points(events, "rx_bytes_per_s/worker0") == "2=7000 ");
  CHECK(points(events, "nic_rx_bytes_per_s/worker0") == "2=7400 ");
  CHECK(points(events, "cpu_percent/server0") == "2=20 ");
  CHECK(points(events, "rss_bytes/server0").empty());
  CHECK(points(events, "nic_tx_bytes_per_s/server0").empty());
  const auto last = std::ranges::find(events, "test/accuracy", &Event::tag);
  CHECK(last->wall_time == 0.01);
}

TEST_CASE("tensorboard: the step of every event is an update, whatever the strategy") {
  Record record = small_record(Mode::run, "async");
  record.updates = 4;  // one per gradient: worker0, worker1, worker0, worker1
  record.evals[0].version = {1};
  record.evals[1].version = {4};
  const std::vector<Event> async = read_events(tensorboard_events(record));
  CHECK(points(async, "loss/worker0") == "1=2 3=1 ");
  CHECK(points(async, "loss/worker1") == "2=2 4=1 ");
  CHECK(points(async, "test/loss") == "1=1.5 4=0.75 ");
  CHECK(points(async, "cpu_percent/worker0") == "3=100 ");
  // Averaged once in two steps of two workers.
  record.updates = 1;
  CHECK(points(read_events(tensorboard_events(record)), "loss/worker1") == "1=2 1=1 ");
}

TEST_CASE("tensorboard: the wall time is a date where there is one") {
  const Record record = small_record(Mode::run, "sync");
  const WallTime zero{std::chrono::seconds(1'700'000'000)};
  const std::vector<Event> events = read_events(tensorboard_events(record, zero));
  CHECK(events.front().wall_time == 1'700'000'000.0);
  const auto last = std::ranges::find(events, "test/accuracy", &Event::tag);
  CHECK(last->wall_time == Approx(1'700'000'000.01).margin(1e-6));
  CHECK(last->step == 1);
}

TEST_CASE("tensorboard: any record makes a sound file of what is known") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    INFO("random_record(" << seed << ")");
    const std::vector<Event> events = read_events(tensorboard_events(random_record(seed)));
    CHECK(std::ranges::is_sorted(events.begin() + !events.empty(), events.end(), {},
                                 &Event::wall_time));
    for (const Event& event : events) CHECK_FALSE(std::isnan(event.value));
  }
}

TEST_CASE("tensorboard: a record that knows nothing has no file, a summary keeps evaluations") {
  Record record = small_record(Mode::simulate, "sync");
  record.steps.clear();
  record.usage.clear();
  std::set<std::string> tags;
  for (const Event& event : read_events(tensorboard_events(record))) tags.insert(event.tag);
  CHECK(tags == std::set<std::string>{"", "test/accuracy", "test/loss"});
  record.evals.clear();
  CHECK(tensorboard_events(record).empty());
}

TEST_CASE("tensorboard: of many steps those that took longest are kept") {
  Record record = small_record(Mode::simulate, "sync");
  const StepRow usual = record.steps.front();
  record.steps.clear();
  for (std::int64_t step = 0; step < 200'000; ++step) {
    record.steps.push_back(usual);
    record.steps.back().report.step = {step};
    record.steps.back().report.start = Instant{} + 1_ms * step;
  }
  record.updates = 200'000;
  record.steps[77'777].report.phases.wait = 7_s;
  const std::vector<Event> events = read_events(tensorboard_events(record));
  CHECK(events.size() < kMostEvents);
  CHECK(points(events, "step_time_s/worker0").find("77778=7.008 ") != std::string::npos);
  CHECK(points(events, "loss/worker0").find(" 200000=2 ") != std::string::npos);
}

TEST_CASE("shown: a thinned series keeps its ends with the extremes of each stretch") {
  std::vector<double> values(1'000, 1.0);
  values[123] = 5;
  values[456] = -5;
  values[457] = std::nan("");
  const std::vector<std::size_t> places = thinned(values, 50);
  CHECK(places.size() <= 50);
  CHECK(std::ranges::is_sorted(places));
  for (const std::size_t kept : {0, 123, 456, 999}) {
    CAPTURE(kept);
    CHECK(std::ranges::binary_search(places, kept));
  }
  CHECK(thinned(values, 1'000).size() == 1'000);
  CHECK(thinned(std::span<const double>{}, 10).empty());
}

TEST_CASE("shown: of many nodes the chief, a server, the slowest worker are drawn") {
  Record record = small_record(Mode::simulate, "sync");
  record.scenario_case.scenario.training.workers = 1'000;
  const StepRow usual = record.steps.front();
  record.nodes.resize(1'001);
  record.steps.clear();
  for (int worker = 0; worker < 1'000; ++worker) {
    record.steps.push_back(usual);
    record.steps.back().worker = worker;
  }
  record.steps[777].report.phases.compute = 1_s;
  record.steps[555].report.phases.compute = 1_ms;
  const std::vector<int> shown =
      shown_nodes(record, count_steps(steps_of(record), record.nodes.size()), 64);
  CHECK(shown.size() <= 64);
  CHECK(std::ranges::is_sorted(shown));
  CHECK(std::ranges::adjacent_find(shown) == shown.end());
  for (const int node : {0, 555, 777, 1'000}) {
    CAPTURE(node);
    CHECK(std::ranges::binary_search(shown, node));
  }
  CHECK(shown_nodes(small_record(Mode::run, "sync"), {}, 64) == std::vector<int>{0, 1, 2});
}

TEST_CASE("tensorboard: Google's protobuf reads what was written") {
  const TemporaryFolder folder;
  const Record record = small_record(Mode::run, "sync");
  write_text(folder.path() / "events", tensorboard_events(record));
  const std::string out = (folder.path() / "out").string();
  const int status =
      std::system(fmt::format("/usr/bin/python3 '{}/tests/support/read_events.py' '{}' >'{}'",
                              source_dir(), (folder.path() / "events").string(), out)
                      .c_str());
  REQUIRE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 3 || WEXITSTATUS(status) == 127) {
    WARN("skipped: /usr/bin/python3 has no protobuf (Debian: python3-protobuf)");
    return;
  }
  REQUIRE(WEXITSTATUS(status) == 0);
  std::string expected;
  for (const Event& event : read_events(tensorboard_events(record))) {
    expected += fmt::format("{:.6f} {} {} {} {:.6g}\n", event.wall_time, event.step,
                            event.version.empty() ? "-" : event.version,
                            event.tag.empty() ? "-" : event.tag, event.value);
  }
  CHECK(read_text(out) == expected);
}

}  // namespace foretrain
