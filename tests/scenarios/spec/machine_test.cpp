// Machine files.
#include "scenarios/spec/machine.h"

#include "models/base/random.h"
#include "scenarios/library/machine_file.h"
#include "tests/scenarios/messages.h"

#include <cmath>

using namespace foretrain;
using namespace foretrain::literals;

namespace {

const std::string kMachine =
    "foretrain_machine: 1\n"
    "name: xeon\n"
    "cores: 10\n"
    "kernel_set: avx512\n"
    "contention: 1.25\n"
    "loopback:\n"
    "  send: {overhead: 2.5 us, per_item: 0.12 ns}\n"
    "  receive: {overhead: 3 us, per_item: 125 ps}\n"
    "  wake: 20 us\n"
    "  handoff: 2 us\n"
    "  poll: 200 us\n"
    "apply: {overhead: 0.512 us, per_item: 12.25 ns}\n"
    "models:\n"
    "  softmax 784x10:\n"
    "    gradient: {overhead: 10 us, per_item: 3.1 us}\n"
    "    evaluate: {overhead: 5 us, per_item: 1 us}\n";

std::string machine_error(const std::string& text) {
  return error_of([&] { parse_machine(text, "m.yaml"); });
}

std::string without(const std::string& line) {
  std::string text = kMachine;
  const std::size_t at = text.find(line);
  return text.erase(at, text.find('\n', at) + 1 - at);
}

}  // namespace

TEST_CASE("machine: costs keep fractions of a nanosecond") {
  const Machine m = parse_machine(kMachine, "m.yaml");
  CHECK(m.name == "xeon");
  CHECK(m.cores == 10);
  CHECK(m.contention == 1.25);
  CHECK(m.loopback.send.per_item_s == 0.12e-9);
  CHECK(m.loopback.receive.per_item_s == 0.125e-9);
  CHECK(m.loopback.wake == Duration{20'000});
  CHECK(m.apply.overhead_s == 0.512e-6);
  CHECK(m.models.at("softmax 784x10").gradient.per_item_s == 3.1e-6);
}

TEST_CASE("machine: what is written reads back as the same bits") {
  const std::uint64_t seed = 4;
  INFO("seed " << seed);
  Stream stream(seed, "test.machine");
  const auto cost = [&] {
    const auto any = [&] {
      return std::ldexp(stream.uniform(), -static_cast<int>(stream.below(60)));
    };
    return AffineCost{any(), any()};
  };
  for (int i = 0; i < 200; ++i) {
    Machine m;
    m.name = "machine: #" + std::to_string(i);
    m.cores = 1 + static_cast<int>(stream.below(100));
    m.kernel_set = "avx2";
    m.slice = {static_cast<std::int64_t>(1 + stream.below(1'000'000'000))};
    m.contention = 1 + stream.uniform();
    m.memory = {{1 + static_cast<std::int64_t>(stream.below(1'000'000))},
                {static_cast<std::int64_t>(stream.below(1'000'000'000))},
                stream.uniform() * 1e-9,
                stream.uniform() * 1e-9,
                stream.uniform() * 1e-9,
                stream.uniform() * 1e-9,
                {1 + stream.uniform() * 1e10}};
    m.memory_base = {static_cast<std::int64_t>(stream.below(1'000'000'000))};
    m.loopback = {cost(), cost(), {static_cast<std::int64_t>(stream.below(1'000'000))}, {7}};
    m.apply = cost();
    for (const char* name : {"softmax 784x10", "with.dot: 3"}) {
      ModelCost& model = m.models[name];
      model.gradient = cost();
      model.evaluate = cost();
    }
    ModelCost& checked = m.models["softmax 784x10"];
    checked.apply = cost();
    checked.sparse_apply = cost();
    checked.coding = cost();
    checked.checked_batch = 1 + static_cast<int>(stream.below(1000));
    checked.residual = stream.uniform() - 0.5;
    m.emulated = {cost(), cost()};
    m.date = "2026-11-22";
    m.measurements = {{"apply.per_item", stream.uniform(), 5}, {"a, b", 0, 15}};
    m.not_measured = {"this: that", "nothing"};
    if (i % 3 == 0) m.cores_seen = {{{10}, {9}, {12}}, {{11}, {10}, {i + 11}}};
    if (i % 3 == 1) m.disk = {{1 + stream.uniform() * 1e9}, {i * i}};
    if (i % 2 == 0) m.roofline = {1 + stream.uniform(), {1e9 * (1 + stream.uniform())}, {i}};
    INFO(to_yaml(m));
    CHECK(parse_machine(to_yaml(m), "m.yaml") == m);
  }
}

TEST_CASE("machine: messages between nodes of one core have their own cost by bytes") {
  Machine machine;
  machine.name = "this machine";
  TransportCost& cost = machine.loopback;
  cost.send = {5e-6, 100e-12};
  cost.receive = {4e-6, 50e-12};
  CHECK(cost.on_one_core() == cost);  // not measured
  CHECK(to_yaml(machine).find("one_core_byte") == std::string::npos);
  cost.one_core_byte_s = 80e-12;
  CHECK(parse_machine(to_yaml(machine), "machine.yaml").loopback == cost);
  CHECK(cost.on_one_core().send == AffineCost{5e-6, 40e-12});
  CHECK(cost.on_one_core().receive == AffineCost{4e-6, 40e-12});
}

TEST_CASE("machine: what a part of a checkpoint takes has a rate, perhaps a latency") {
  CHECK_FALSE(parse_machine(kMachine, "m.yaml").disk.known());
  CHECK(to_yaml(parse_machine(kMachine, "m.yaml")).find("disk") == std::string::npos);
  const auto with = [](const std::string& disk) { return kMachine + "disk: " + disk + "\n"; };
  const DiskCost disk =
      parse_machine(with("{write_rate: 240 Mbps, write_latency: 24 ms}"), "m.yaml").disk;
  CHECK(disk == DiskCost{{30e6}, 24_ms});
  CHECK(disk.of({300'000}) == 34_ms);
  CHECK(parse_machine(with("{write_rate: 8 Gbps}"), "m.yaml").disk == DiskCost{{1e9}, {}});
  CHECK(machine_error(with("{write_latency: 24 ms}")).find("disk.write_rate: missing") !=
        std::string::npos);
  CHECK(machine_error(with("{write_rate: 0 bps}")).find("disk.write_rate") != std::string::npos);
}

TEST_CASE("machine: times need their unit") {
  std::string text = kMachine;
  text.replace(text.find("3.1 us"), 6, "3.1");
  CHECK(machine_error(text) ==
        "m.yaml:15:43: models.softmax 784x10.gradient.per_item: 3.1 has no unit; write for "
        "instance 3.1 us");
}

TEST_CASE("machine: a cost that is missing is told, one that is negative too") {
  CHECK(machine_error(without("  wake")).find("m.yaml:7:3: loopback.wake: missing") == 0);
  CHECK(machine_error(without("    evaluate"))
            .find("m.yaml:15:5: models.softmax 784x10.evaluate: missing") == 0);
  std::string text = kMachine;
  text.replace(text.find("2.5 us"), 6, "-1 us");
  CHECK(machine_error(text).find("m.yaml:7:20: loopback.send.overhead: -1 us is negative") == 0);
}

TEST_CASE("machine: an unknown key is told the nearest") {
  std::string text = kMachine;
  text.replace(text.find("per_item: 3.1"), 8, "per_itm");
  CHECK(machine_error(text) ==
        "m.yaml:15:33: models.softmax 784x10.gradient.per_itm: unknown key; did you mean "
        "models.softmax 784x10.gradient.per_item?");
}

TEST_CASE("machine: a key that files have no more says what to do about it") {
  std::string text = kMachine;
  text.insert(text.find("    evaluate"), "    crowding: 1.2\n");
  CHECK(machine_error(text) ==
        "m.yaml:16:5: models.softmax 784x10.crowding: this key was removed; calibrate this machine "
        "again (foretrain calibrate --out FILE), which writes memory");
  text = kMachine;
  text.insert(text.find("apply:"),
              "emulated: {send: {per_item: 1 ns}, receive: {per_item: 1 ns}, wake: 2 us}\n");
  CHECK(machine_error(text) ==
        "m.yaml:12:63: emulated.wake: this key was removed; leave it out (the value of loopback is "
        "used), or calibrate this machine again (foretrain calibrate --out FILE)");
}

TEST_CASE("machine: networks that it emulates have costs of messages of their own") {
  std::string text = kMachine;
  text.insert(text.find("apply:"),
              "emulated: {send: {per_item: 1 ns}, receive: {per_item: 2 ns}}\n");
  const Machine m = parse_machine(text, "m.yaml");
  CHECK(m.emulated.send.per_item_s == 1e-9);
  CHECK(m.emulated.receive.per_item_s == 2e-9);
}

TEST_CASE("machine: what is as everywhere is not written") {
  Machine machine;
  machine.name = "this machine";
  machine.loopback.poll = kPoll;
  const std::string text = to_yaml(machine);
  CHECK(text.find("contention") == std::string::npos);
  CHECK(text.find("poll") == std::string::npos);
  CHECK(parse_machine(text, "m.yaml").loopback.poll == kPoll);
  machine.loopback.poll = 3_us;
  CHECK(parse_machine(to_yaml(machine), "m.yaml").loopback.poll == 3_us);
}

TEST_CASE("machine: one that is described needs nothing measured") {
  const Machine m = parse_machine(
      "foretrain_machine: 1\nname: a100\ncores: 8\ngflops: 15000\nmemory_bandwidth: 1500 GB/s\n"
      "overhead: 100 us\n",
      "m.yaml");
  CHECK(m.roofline == Roofline{15'000, {1.5e12}, {100'000}});
  CHECK(m.models.empty());
  TransportCost polling;
  polling.poll = kPoll;
  CHECK(m.loopback == polling);
  CHECK(machine_error("foretrain_machine: 1\nname: a\ncores: 8\noverhead: 100 us\n") ==
        "m.yaml:4:11: overhead: set to 100 us, but no case uses it (only with gflops are FLOPs and "
        "bytes turned into time); remove it");
  CHECK(machine_error("foretrain_machine: 1\nname: a\ncores: 8\ngflops: -3\n")
            .find("m.yaml:4:9: gflops: -3 ") == 0);
}

TEST_CASE("machine: another version, or a scenario, is refused") {
  CHECK(machine_error("foretrain_machine: 2\n").find("m.yaml:1:20: foretrain_machine: this") == 0);
  CHECK(machine_error("foretrain: 1\n").find("this is a scenario") != std::string::npos);
}
