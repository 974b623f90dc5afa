#include "scenarios/resolve/equal_work.h"

#include "models/protocol/registry.h"
#include "scenarios/resolve/placement.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace foretrain {
namespace {

double examples_a_step(const Scenario& scenario) {
  return static_cast<double>(node_counts(scenario).workers) *
         static_cast<double>(scenario.training.examples_a_gradient());
}

}  // namespace

double planned_examples(const Training& training) {
  const auto examples = static_cast<double>(training.examples_a_gradient());
  if (training.updates > 0) {
    const Protocol& protocol = *training.protocol;
    return static_cast<double>(training.updates *
                               protocol.gradients_an_update(training.options, training.workers)) *
           examples;
  }
  return static_cast<double>(training.steps * training.workers) * examples;
}

void keep_examples(Scenario& changed, const Scenario& before, double examples) {
  TrainingSpec& training = changed.training;
  const double once = examples_a_step(before);
  const double now = examples_a_step(changed);
  const double steps = std::ceil(examples / now - 1e-9);
  training.epochs = 0;
  training.updates = 0;
  training.tokens = 0;
  training.steps = std::max<std::int64_t>(1, static_cast<std::int64_t>(steps));
  if (training.evaluate_every == 0 || training.evaluate_by_examples || once == now) return;
  const double apart = static_cast<double>(training.evaluate_every) * once / now;
  training.evaluate_every = std::max<std::int64_t>(1, std::llround(apart));
}

std::string set_batch(Scenario& scenario, int batch_size) {
  const auto& hosts = scenario.cluster.hosts;
  if (std::ranges::any_of(hosts, [](const HostSpec& host) { return host.compute.has_value(); })) {
    return "compute: fixes the time of a gradient, whatever the batch size";
  }
  // The times of a profile stay those of the measured batch.
  int& measured = scenario.model.profile_batch;
  const bool profile = scenario.model.profiled() && !scenario.model.by_shape();
  if (profile && measured == 0) measured = scenario.training.batch_size;
  scenario.training.batch_size = batch_size;
  return {};
}

}  // namespace foretrain
