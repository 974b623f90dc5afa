// Errors of input, framework, buckets name their key.
#include "models/protocol/layout.h"
#include "scenarios/resolve/prepared.h"
#include "scenarios/resolve/read.h"
#include "tests/scenarios/messages.h"

#include <catch2/catch.hpp>

#include <string>

namespace foretrain::testing {
namespace {

const std::string kHead = "foretrain: 1\nname: x\nmodel: softmax\n";
const std::string kHosts = "cluster: {hosts: [{name: a, count: 3, compute: 1 ms}]}\n";

void fails(const std::string& rest, const std::string& with) {
  CAPTURE(rest);
  CHECK_THAT(scenario_error(kHead + rest), Catch::Contains(with));
}

TEST_CASE("framework: keys out of range or without use are refused") {
  fails("framework: {step: -1 ms}\n", "framework.step: -1 ms is negative");
  fails("framework: {evaluation: nobody else}\n", "framework.evaluation: nobody else is unknown");
  fails("framework: {collective: -1 ms}\n", "framework.collective: -1 ms is negative");
  fails("framework: {update: -1 ms}\n", "framework.update: -1 ms is negative");
  fails("framework: {server: {per_item: 1 ns, per_tensor: -1 us}}\n",
        "framework.server.per_tensor: -1 us is negative");
  fails("framework: {server: {per_tensor: 1 us}}\n", "framework.server.per_item: missing");
  fails("framework: {server: {per_item: 1 ns, per_tensor: 3}}\n", "framework.server.per_tensor: ");
  fails("cluster: {hosts: [{name: a, devices: 1, device_updates: on}]}\n",
        "the host has no device with a memory_bandwidth");
  fails("training: {strategy: all_reduce, algorithm: star}\n",
        "training.algorithm: star is unknown");
  fails("training: {strategy: sync, algorithm: tree}\n", "no sums among workers");
  fails("dataset: {parse: 1 us}\n", "there is no cluster.hosts; list them");
  fails("framework: {session_host: a0}\n",
        "there is no cluster.hosts; list them, or remove framework.session_host");
  fails(kHosts + "framework: {session_host: b}\n", "framework.session_host: there is no host b");
  fails(kHosts + "framework: {session_host: a0, feed: -1 ns}\n",
        "x.yaml:5:37: framework.feed: -1 ns is negative");
  fails(kHosts + "framework: {feed: 5 ns}\n", "nothing is fed from other hosts");
  fails(kHosts + "framework: {session_host: a0}\ndataset: {served_by: a1}\n",
        "framework.session_host: its clients feed their own data");
  fails(kHosts + "dataset: {served_by: b}\n", "dataset.served_by: there is no host b");
  fails(kHosts + "dataset: {prefetch: 2}\n", "only with served_by, read_rate or parse");
  fails(kHosts + "dataset: {parse: 1 us, example_size: 3 kB}\n", "is an example moved");
  fails(kHosts + "dataset: {read_rate: 0 MB/s}\n", "dataset.read_rate: 0 MB/s is out of range");
}

TEST_CASE("framework: what a scenario says of it is written to be read back") {
  const std::string text =
      kHead + kHosts +
      "dataset: {served_by: a1, read_rate: 100 MB/s, parse: 2 us, "
      "example_size: 3 kB, prefetch: 0}\n"
      "framework: {session_start: 12 s, chief_wait: 30 s, step: 2 ms, update: 3 ms, "
      "server: {per_item: 1 ns, per_tensor: 2 us}, round: 1 ms, collective: 3 ms, message: "
      "{overhead: 5 us, per_item: 2 ns}, "
      "evaluation: all, waiting_cores: 1.5}\n"
      "training: {workers: 2, bucket_size: per_tensor}\n"
      "neighbours: [{scenario: b.yaml, starts_at: 3 s}]\n";
  const Scenario scenario = parse_scenario(text, "x.yaml").front().scenario;
  CHECK(scenario.framework.waiting_cores == 1.5);
  CHECK(scenario.framework.server == ServerCost{{0, 1e-9}, 2e-6});
  CHECK(scenario.dataset.input.served_by == "a1");
  CHECK(scenario.training.bucket_size == Bytes{});
  CHECK(parse_scenario(to_yaml(scenario), "y.yaml").front().scenario == scenario);
}

TEST_CASE("framework: a session's host is written to be read back") {
  const std::string text = kHead + kHosts + "framework: {session_host: a2, feed: 5 ns}\n";
  const Scenario scenario = parse_scenario(text, "x.yaml").front().scenario;
  CHECK(scenario.framework.session_host == "a2");
  CHECK(scenario.framework.feed_s == Approx(5e-9));
  CHECK(parse_scenario(to_yaml(scenario), "y.yaml").front().scenario == scenario);
}

TEST_CASE("framework: one of the library is taken by name, keys beside it replace its own") {
  const auto framework_of = [](const std::string& framework) {
    return parse_scenario(kHead + kHosts + "framework: " + framework + "\n", "x.yaml")
        .front()
        .scenario.framework;
  };
  const auto message_of = [&](const std::string& framework) {
    return framework_of(framework).message;
  };
  const AffineCost gloo = message_of("{like: gloo}");
  CHECK(gloo.overhead_s > 0);
  CHECK(gloo.per_item_s > 0);
  CHECK(message_of("{like: gloo, step: 3 ms}") == gloo);
  CHECK(message_of("{like: mpi}").overhead_s < gloo.overhead_s);
  CHECK(framework_of("{like: nccl}").collective == Duration{8'400});
  CHECK(message_of("{like: gloo, message: {per_item: 1 ns}}").per_item_s == 1e-9);
  fails("framework: {like: glue}\n",
        "framework.like: the library has no glue; there are gloo, mpi, nccl, tensorflow");
  fails("framework: {tensor: 5 us}\n", "framework.tensor: this key was removed; write framework");
}

TEST_CASE("framework: tensors are dealt to servers in turn") {
  const Layout layout = make_tensor_layout({784, 10, 100}, 2);
  REQUIRE(layout.buckets.size() == 3);
  CHECK(layout.parameters == 894);
  CHECK(layout.buckets[1].first == 784);
  CHECK(layout.buckets[2].first == 794);
  CHECK(layout.of_shard(0) == std::vector<std::uint32_t>{0, 2});
  CHECK(layout.of_shard(1) == std::vector<std::uint32_t>{1});
  const auto shape_error = [](const std::string& training) {
    const Case each = parse_scenario(kHead + "training: " + training + "\n", "x.yaml").front();
    try {
      prepare(each, Need::shape);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("(no error)");
  };
  CHECK_THAT(shape_error("{servers: 3, workers: 2, bucket_size: per_tensor}"),
             Catch::Contains("training.servers: 3 servers for the 2 tensors of softmax"));
  CHECK(shape_error("{strategy: all_reduce, workers: 2, bucket_size: per_tensor}") == "(no error)");
  CHECK(shape_error("{servers: 2, workers: 2, bucket_size: per_tensor}") == "(no error)");
}

}  // namespace
}  // namespace foretrain::testing
