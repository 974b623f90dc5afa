// Machine files: conversion from text, to text.
#include "scenarios/library/machine_file.h"

#include "scenarios/language/reader.h"
#include "scenarios/language/text_guard.h"
#include "scenarios/language/version.h"
#include "scenarios/language/yaml_writer.h"
#include "scenarios/library/library.h"
#include "scenarios/spec/machine_fields.h"
#include "scenarios/spec/reference.h"

#include <fmt/format.h>

#include <algorithm>

namespace foretrain {
namespace {

// The information of these keys follows from `memory` and from what jobs touch.
constexpr std::string_view kAgain =
    "calibrate this machine again (foretrain calibrate --out FILE), which writes memory";
constexpr std::string_view kAsLoopback =
    "leave it out (the value of loopback is used), or calibrate this machine again (foretrain "
    "calibrate --out FILE)";
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

}  // namespace

Machine read_machine(const std::string& path) {
  return parse_machine(read_text(in_library(path)), path);
}

Machine parse_machine(const std::string& text, const std::string& source) {
  Value root = parse_yaml(text, source);
  check_version(root, "foretrain_machine", "foretrain",
                "this is a scenario; a machine file is what foretrain calibrate writes");
  root.erase("foretrain_machine");
  Reading reading(machine_keys(), nullptr, kRetiredOfMachine);
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
