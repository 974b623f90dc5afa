// Machine files from text, to text.
#include "scenarios/machine.h"

#include "models/base/check.h"
#include "scenarios/describe/machine_fields.h"
#include "scenarios/describe/reader.h"
#include "scenarios/describe/version.h"
#include "scenarios/describe/writer.h"
#include "scenarios/library.h"
#include "scenarios/reference.h"
#include "scenarios/yaml/text_guard.h"

#include <fmt/format.h>

#include <algorithm>

namespace foretrain {

Duration ModelCost::gradient_of(double examples) const {
  if (!gradient_times.empty()) return interpolated(gradient_times, examples);
  return gradient.of(examples);
}

Duration interpolated(const std::vector<BatchTime>& times, double examples) {
  FT_CHECK(!times.empty());
  const BatchTime& last = times.back();
  if (times.size() == 1) {
    return Duration::from_seconds(last.time.seconds() * examples / last.examples);
  }
  std::size_t upper = 1;
  while (upper + 1 < times.size() && examples > times[upper].examples) ++upper;
  const BatchTime& a = times[upper - 1];
  const BatchTime& b = times[upper];
  const double slope = (b.time - a.time).seconds() / (b.examples - a.examples);
  return Duration::from_seconds(std::max(0.0, a.time.seconds() + slope * (examples - a.examples)));
}

namespace {

// What they said follows from `memory` and from what jobs touch.
constexpr std::string_view kAgain =
    "calibrate this machine again (foretrain calibrate --out FILE), which writes memory";
constexpr std::string_view kAsLoopback =
    "leave it out: it is as loopback's, or calibrate this machine again (foretrain calibrate --out "
    "FILE)";
constexpr RetiredKey kRetiredOfMachine[] = {
    {"models.*.contention", kAgain},
    {"models.*.contended", kAgain},
    {"models.*.crowding", kAgain},
    {"models.*.cache_pollution", kAgain},
    {"models.*.streaming", kAgain},
    {"models.*.crossing", kAgain},
    {"models.*.scattered", kAgain},
    {"models.*.merged", kAgain},
    {"loopback_far", kAgain},
    {"cores_seen.handover", kAgain},
    {"cores_seen.loopback_distance", kAgain},
    {"emulated.handoff", kAsLoopback},
    {"emulated.wake", kAsLoopback},
    {"emulated.preempt", kAsLoopback},
    {"emulated.poll", kAsLoopback},
    {"models.*.growth",
     "write gradient_times, a table over batch sizes, or calibrate this machine again "
     "(foretrain calibrate --out FILE)"}};

void check_tables(const Machine& machine, const std::map<std::string, std::string>& places) {
  for (const auto& [model, cost] : machine.models) {
    const auto descends = [](const BatchTime& a, const BatchTime& b) {
      return a.examples >= b.examples;
    };
    const auto& times = cost.gradient_times;
    if (std::ranges::adjacent_find(times, descends) == times.end()) continue;
    const std::string key = fmt::format("models.{}.gradient_times", model);
    const auto place = places.find(key);
    fail_at(place == places.end() ? "" : place->second, key,
            "the batch sizes do not ascend; sort them, each once");
  }
}

// Of the first ones each counts as so much.
double in_bytes_of_long(Bytes size, double first_bytes) {
  const Bytes first = std::min(size, kFirstBytes);
  return static_cast<double>(size.value) - (1 - first_bytes) * static_cast<double>(first.value);
}

}  // namespace

std::string Machine::title() const {
  if (others_used <= 0) return name;
  return fmt::format("{} (noisy: others used {:.0f} % of it when it was calibrated)", name,
                     100 * others_used);
}

Duration TransportCost::sending(Bytes size) const {
  return send.of(in_bytes_of_long(size, first_bytes));
}

Duration TransportCost::receiving(Bytes size) const {
  return receive.of(in_bytes_of_long(size, first_bytes));
}

TransportCost TransportCost::on_one_core() const {
  TransportCost cost = *this;
  if (one_core_byte_s > 0) cost.send.per_item_s = cost.receive.per_item_s = one_core_byte_s / 2;
  cost.first_bytes = one_core_first_bytes;
  return cost;
}

Machine read_machine(const std::string& path) {
  return parse_machine(read_text(in_library(path)), path);
}

Machine parse_machine(const std::string& text, const std::string& source) {
  Value root = parse_yaml(text, source);
  check_version(root, "foretrain_machine", "foretrain",
                "this is a scenario; a machine file is what foretrain calibrate writes");
  root.erase("foretrain_machine");
  Reading reading(machine_keys(), kRetiredOfMachine);
  Reader reader(reading, root, "");
  Machine machine;
  machine.loopback.poll = kPoll;
  describe(reader, machine);
  reader.finish();
  reading.check_all_used();
  check_tables(machine, reading.take_places());
  return machine;
}

std::string to_yaml(const Machine& machine) {
  Writer writer;
  writer.add("foretrain_machine", write_value({}, 1));
  describe(writer, machine);
  return to_yaml(writer.take());
}

}  // namespace foretrain
