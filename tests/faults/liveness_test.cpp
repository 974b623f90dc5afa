// A training that hangs or blames a present node is detected.
#include "tests/faults/liveness.h"

#include "scenarios/resolve/prepared.h"
#include "sim/driver/simulate.h"
#include "tests/faults/envelope.h"

#include <catch2/catch.hpp>

#include <memory>
#include <string>

namespace foretrain::faults {
namespace {

/// Three workers and a server on one host each; the silence limit is 1 s.
struct Lively {
  std::shared_ptr<const Training> training;
  Record plain;

  Lively() {
    Case scenario_case;
    Scenario& scenario = scenario_case.scenario;
    scenario.name = "lively";
    scenario.dataset.format = "images";
    scenario.dataset.side = 8;
    scenario.dataset.channels = 1;
    scenario.dataset.classes = 3;
    scenario.dataset.take = 64;
    scenario.dataset.test_take = 16;
    scenario.training.strategy = "async";
    scenario.training.workers = 3;
    scenario.training.batch_size = 4;
    scenario.training.steps = 12;
    scenario.training.silence_limit = Duration::from_seconds(1);
    HostSpec host;
    host.name = "node";
    host.count = 4;
    host.compute = Duration{10'000'000};
    scenario.cluster.hosts = {host};
    const Prepared prepared = prepare(scenario_case, Need::examples);
    training = prepared.training;
    sim::SimulateOptions options;
    options.machines = [](const std::string&) { return Machine{}; };
    plain = sim::simulate(prepared, options);
    REQUIRE(plain.outcome == Outcome::done);
  }

  /// Adds a fault of worker 1 from 50 ms to 150 ms.
  [[nodiscard]] Record with(FaultSpec fault) const {
    Record record = plain;
    fault.at = Duration{50'000'000};
    fault.lasting = Duration{100'000'000};
    record.scenario_case.scenario.faults = {fault};
    return record;
  }
  [[nodiscard]] std::string wrong(const Record& record, double last_input_s = 0) const {
    try {
      check_liveness(record, plain, *training, Instant{} + Duration::from_seconds(last_input_s));
    } catch (const Broken& broken) {
      return broken.what();
    }
    return "";
  }
  /// The violation reported if it fails with this message.
  [[nodiscard]] std::string said_of(const FaultSpec& fault, const std::string& failure,
                                    double last_input_s = 0) const {
    Record record = with(fault);
    record.outcome = Outcome::failed;
    record.failure = failure;
    return wrong(record, last_input_s);
  }
};

bool begins(const std::string& text, const std::string& with) {
  CAPTURE(text);
  CHECK(text.starts_with(with));
  return true;
}

TEST_CASE("liveness: whom a failure names has to be one that a fault has lost") {
  const Lively lively;
  const std::string blames = "it names nobody whom a fault has lost: ";
  FaultSpec stop;
  stop.stop = "worker1";
  CHECK(lively.said_of(stop, "worker1 was silent for 1 s") == "");
  CHECK(lively.said_of(stop, "server0: worker1: the connection to it was lost") == "");
  begins(lively.said_of(stop, "worker2 was silent for 1 s; server0: worker1"), blames);
  begins(lively.said_of(stop, "worker1: server0: the connection to it was lost"), blames);
  begins(lively.said_of(stop, "the nodes wait for each other forever; 0 of 4 finished"), blames);
  FaultSpec cut;
  cut.cut = {"worker1", "server0"};
  CHECK(lively.said_of(cut, "worker1: server0: the connection to it was lost") == "");
  begins(lively.said_of(cut, "worker2 gave up: the connection to it was lost"), blames);
  FaultSpec slow;
  slow.slow = "worker1";
  slow.to = 0.1;
  begins(lively.said_of(slow, "worker1 was silent for 1 s"), blames);
}

TEST_CASE("liveness: a failure that comes late is found") {
  const Lively lively;
  FaultSpec kill;
  kill.kill = "worker1";
  const std::string killed = "worker1 was killed at 50 ms, as faults: says";
  CHECK(lively.said_of(kill, killed, 2) == "");
  begins(lively.said_of(kill, killed, 3), "it fails only after ");
}

TEST_CASE("liveness: a training that stands still after the last fault is found") {
  const Lively lively;
  FaultSpec stop;
  stop.stop = "worker1";
  Record record = lively.with(stop);
  CHECK(lively.wrong(record) == "");
  record.time = Duration::from_seconds(2);
  CHECK(lively.wrong(record) == "");
  record.time = Duration::from_seconds(3);
  begins(lively.wrong(record), "nothing comes of it from ");
}

}  // namespace
}  // namespace foretrain::faults
