#include "tests/faults/liveness.h"

#include "models/protocol/phases.h"
#include "scenarios/resolve/faults.h"
#include "scenarios/resolve/placement.h"
#include "scenarios/resolve/stragglers.h"
#include "tests/faults/envelope.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace foretrain::faults {
namespace {

Duration end_of_last_fault(const Scenario& scenario) {
  Duration end;
  for (const FaultSpec& fault : scenario.faults) {
    end =
        std::max(end, fault.at + std::max(fault.lasting, fault.restart_after.value_or(Duration{})));
  }
  return end;
}

// The names of nodes that a fault may lose.
std::set<std::string> touched_nodes(const Scenario& scenario, const Training& training) {
  const std::vector<NodePlace> places = place_nodes(scenario);
  const auto host_of = [&](const std::string& name) {
    return places[static_cast<std::size_t>(*node_called(scenario, name))].host;
  };
  std::set<std::string> touched;
  std::set<std::size_t> cut_off;  // hosts
  for (const FaultSpec& fault : scenario.faults) {
    if (!fault.kill.empty()) touched.insert(fault.kill);
    if (!fault.stop.empty()) touched.insert(fault.stop);
    for (const std::string& name : fault.cut) cut_off.insert(host_of(name));
  }
  for (int node = 0; node < training.nodes(); ++node) {
    if (!cut_off.contains(places[static_cast<std::size_t>(node)].host)) continue;
    touched.insert(training.role(NodeId(node)));
  }
  return touched;
}

// The missing node in "A was killed ...; B: ..." is A; in "A: B: ...", where A reports B, it is B.
std::string missing_in(const std::string& failure) {
  static const std::regex of_another("^((?:worker|server)[0-9]+): ((?:worker|server)[0-9]+): ");
  static const std::regex begins("^((?:worker|server)[0-9]+)[ :]");
  std::smatch found;
  if (std::regex_search(failure, found, of_another)) return found[2];
  if (std::regex_search(failure, found, begins)) return found[1];
  return "";
}

// The largest number of nodes on one host, which may have to share a core.
double most_on_a_host(const Scenario& scenario) {
  std::map<std::size_t, int> nodes;
  int most = 1;
  for (const NodePlace& place : place_nodes(scenario)) most = std::max(most, ++nodes[place.host]);
  return most;
}

// By the stragglers' own draws, for as many gradients as a worker could have to make, with twice
// the mean number of pauses in a gradient of that length plus thirty, which no seed exceeds.
double longest_gradient_s(const Scenario& scenario, const Training& training) {
  constexpr double kRarePauses = 30;
  double factor = 1;
  for (int worker = 0; worker < training.workers; ++worker) {
    StragglerDraws draws(scenario, worker);
    for (std::int64_t i = 0; i < training.steps * training.workers; ++i) {
      factor = std::max(factor, draws.next());
    }
  }
  const double gradient_s = factor * scenario.cluster.hosts.front().compute->seconds() *
                            training.accumulate * most_on_a_host(scenario);
  double pauses_s = 0;
  for (const StragglerSpec& spec : scenario.stragglers) {
    if (spec.pause.ns == 0) continue;
    const double often = 2 * gradient_s / spec.every.seconds() + kRarePauses;
    pauses_s += spec.pause.seconds() * often;
  }
  return gradient_s + pauses_s;
}

// All messages of a step at the rate of a port plus a state of each node on its disk: a fault can
// make a training last until its bursts are used up or a checkpoint is due. Reading messages one
// after another counts as well.
double longest_messages_s(const Scenario& scenario, const Training& training) {
  constexpr double kCopies = 4;  // copies of the parameters: in a state, in the messages of a step
  double rate = scenario.cluster.hosts.front().nic.value;
  double message_s = 0;
  for (const HostSpec& host : scenario.cluster.hosts) {
    rate = std::min(rate, host.nic.value);
    message_s = std::max(message_s, host.receive.overhead_s);
  }
  const auto buckets = static_cast<double>(training.layout->buckets.size());
  const CheckpointSpec& checkpoint = scenario.checkpoint;
  const double bytes = kCopies * 4.0 * static_cast<double>(training.layout->parameters);
  double step_s = training.workers * (bytes / rate + 2 * message_s * buckets);
  if (checkpoint != CheckpointSpec{}) {
    const DiskCost disk = checkpoint.disk_on({});
    step_s += training.nodes() * (bytes / disk.write_rate.value + disk.write_latency.seconds());
  }
  return step_s;
}

// Plus the longest step without faults, including its evaluation.
Duration long_step(const Record& plain, const Scenario& scenario, const Training& training) {
  Duration longest;
  for (const StepRow& row : plain.steps) {
    longest = std::max(longest, length_of(row.report.phases));
  }
  return longest + Duration::from_seconds(longest_gradient_s(scenario, training) +
                                          longest_messages_s(scenario, training));
}

void check_failure(const Record& record, const Training& training, Duration most,
                   Instant last_input) {
  const std::string missing = missing_in(record.failure);
  if (!touched_nodes(record.scenario_case.scenario, training).contains(missing)) {
    throw Broken("it names nobody whom a fault has lost: " + record.failure);
  }
  if (last_input - Instant{} <= most) return;
  throw Broken(fmt::format("it fails only after {} s, {} s were enough: {}",
                           (last_input - Instant{}).seconds(), most.seconds(), record.failure));
}

void check_progress(const Record& record, Instant since, Duration most) {
  std::vector<Instant> ends;  // ends of steps
  ends.reserve(record.steps.size() + 1);
  for (const StepRow& row : record.steps) {
    ends.push_back(row.report.start + length_of(row.report.phases));
  }
  ends.push_back(Instant{} + record.time);
  std::ranges::sort(ends);
  Instant last = since;
  for (const Instant end : ends) {
    if (end - last > most) {
      throw Broken(
          fmt::format("nothing comes of it from {} s to {} s, the last fault is over at "
                      "{} s, {} s were enough",
                      (last - Instant{}).seconds(), (end - Instant{}).seconds(),
                      (since - Instant{}).seconds(), most.seconds()));
    }
    last = std::max(last, end);
  }
}

}  // namespace

void check_liveness(const Record& record, const Record& plain, const Training& training,
                    Instant last_input) {
  constexpr int kSteps = 3;
  const Scenario& scenario = record.scenario_case.scenario;
  const Duration over = end_of_last_fault(scenario);
  const Duration silence = silence_of(scenario) * 2;
  const Duration step = long_step(plain, scenario, training);
  if (record.outcome == Outcome::failed) {
    return check_failure(record, training, over + silence + training.return_limit + step,
                         last_input);
  }
  check_progress(record, Instant{} + over, silence + step * kSteps);
}

}  // namespace foretrain::faults
