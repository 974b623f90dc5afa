// Rejects what a model is too small for, or does not support.
#include "models/cost/work.h"
#include "scenarios/resolve/check_case.h"
#include "scenarios/resolve/make_training.h"
#include "scenarios/resolve/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>

namespace foretrain {
namespace {

constexpr double kMostProfiled_s = 1e6;  // as for a host's `compute`

/// Rejects measured rates of hosts if they give no time or more than a clock can count, or if all
/// times of the profile are 0.
void check_measured_times(const Case& c, std::int64_t examples, const Network& network) {
  const int batch = c.scenario.training.batch_size;
  const auto& hosts = c.scenario.cluster.hosts;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const std::string& called = c.scenario.model.profile_network;
    const auto gradient = measured_gradient(hosts[i].measured, called, batch);
    if (!gradient) continue;
    const std::string key = fmt::format("cluster.hosts[{}].measured", i);
    if (gradient_cost(network, batch).measured.ns == 0) {
      fail(c, "model.profile",
           "all its times are 0, so the measured time cannot be shared among layers; write times "
           "in proportion to their work");
    }
    if (gradient->ns <= 0) {
      fail(c, key,
           fmt::format(
               "by "
               "these rows a batch of {} of {} takes no time; add a row for a similar batch size",
               batch, called));
    }
    if (gradient->seconds() * static_cast<double>(examples) / batch <= kMostProfiled_s) continue;
    fail(c, key,
         fmt::format("by these rows {} examples of {} take longer than {:.0f} s; check "
                     "examples_per_s",
                     examples, called, kMostProfiled_s));
  }
}

/// Rejects a profile, or measured rates of hosts, with which a gradient or an evaluation takes
/// longer than a clock can count.
void check_profile_times(const Case& c, const DatasetShape& shape, const Network& network) {
  const auto examples = std::max(c.scenario.training.examples_a_gradient(), shape.test_examples);
  check_measured_times(c, examples, network);
  // With two measured batches the smaller one can take longer.
  const double longest_s = std::max(gradient_cost(network, 1).measured.seconds(),
                                    gradient_cost(network, examples).measured.seconds());
  if (longest_s <= kMostProfiled_s) return;
  fail(c, "model.profile",
       fmt::format("{} examples take longer than {:.0f} s; check that its times are milliseconds",
                   examples, kMostProfiled_s));
}

/// Workers of a sparse model fetch and push only what their batches touch.
bool sparse_with_servers(const Facts& f) { return f.network->sparse() && f.counts.servers > 0; }
bool sparse_rows_travel(const Facts& f) { return f.network->sparse() && !f.protocol.dense; }
bool per_tensor(const Facts& f) { return f.training.bucket_size.value == 0; }

constexpr Rule kNetworkRules[] = {
    {"training.servers", [](const Facts& f) { return f.counts.servers > f.network->parameters(); },
     "{servers} servers for the {parameters} parameters of {model}; write fewer servers"},
    {"training.servers",
     [](const Facts& f) {
       return per_tensor(f) && !f.network->sparse() &&
              f.counts.servers > std::ssize(f.network->blocks());
     },
     "{servers} servers for the {tensors} tensors of {model}; write fewer servers, or a "
     "bucket_size"},
    {"training.compression",
     [](const Facts& f) { return sparse_with_servers(f) && f.training.compression.wanted(); },
     "a sparse model sends only the parameters of a batch, which are few; remove it"},
    {"training.local_sum",
     [](const Facts& f) { return sparse_with_servers(f) && f.training.local_reduction; },
     "workers of a sparse model push different parameters, those of their batches; remove it"},
    {"training.accumulate",
     [](const Facts& f) { return sparse_rows_travel(f) && f.training.accumulate > 1; },
     "a worker of a sparse model requests the parameters of its next batch together with this "
     "gradient; remove it, or write a larger batch_size"},
    {"training.bucket_size", [](const Facts& f) { return per_tensor(f) && sparse_with_servers(f); },
     "per_tensor, but a sparse model sends one message per server, with the parameters of a batch; "
     "remove it"},
    {"training.bucket_rule",
     [](const Facts& f) { return sparse_with_servers(f) && f.training.bucket_rule != "size"; },
     "a sparse model sends one message per server, with the parameters of a batch; remove it"},
    {"training.bucket_size",
     [](const Facts& f) { return per_tensor(f) && f.training.bucket_rule != "size"; },
     "per_tensor, but bucket_rule joins tensors; write a size"},
    {"training.workers",
     [](const Facts& f) {
       return f.counts.servers == 0 && f.counts.workers > f.network->parameters();
     },
     "{workers} workers for the {parameters} parameters of {model}; write fewer workers"},
    {"training.optimizer.penalty_in_loss",
     [](const Facts& f) { return sparse_rows_travel(f) && f.training.optimizer.penalty_in_loss; },
     "a worker of a sparse model has only the parameters of its batch, so it cannot add up all of "
     "them; remove it"}};

}  // namespace

int profile_batch(const Scenario& scenario) {
  return scenario.model.profile_batch > 0 ? scenario.model.profile_batch
                                          : scenario.training.batch_size;
}

void check_examples(const Case& c, const DatasetShape& shape) {
  const int workers = node_counts(c.scenario).workers;
  if (c.scenario.model.profiled() || workers <= shape.train_examples) return;
  fail(c, "training.workers",
       fmt::format("{} workers for {} training examples; write fewer workers, or take more "
                   "examples",
                   workers, shape.train_examples));
}

void check_network(const Case& c, const DatasetShape& shape, const Network& network) {
  if (network.profiled()) check_profile_times(c, shape, network);
  const auto broken = first_broken(kNetworkRules, Facts(c.scenario, &network));
  if (broken) fail(c, broken->key, broken->what);
}

}  // namespace foretrain
