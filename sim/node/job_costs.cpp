#include "sim/node/job_costs.h"

#include "scenarios/language/input_error.h"

#include <algorithm>
#include <cmath>

namespace foretrain::sim {

// Factor by which stragglers slow the gradient down; its first stage also draws the jitter.
double JobCosts::straggling(const Job& job) {
  const double factor = times_.begin(job);
  if (job.stage == 0) {
    const double sigma = job_time_.gradient_jitter();
    jitter_factor_ = sigma > 0 ? portable_exp(sigma * jitter_.normal()) : 1;
  }
  const double scale = history_.colocated_job() ? 1 : time_factors_.of(Resource::straggling);
  return scale == 1 ? factor : 1 + (factor - 1) * scale;
}

Duration JobCosts::miss_penalty(const Job& job) {
  if (cache_use_ == nullptr) return {};
  // Called for every job: what it touches evicts the bytes of others, whoever pays.
  const Duration time = cache_use_->before(job, job_time_.of(job));
  return job_time_.refills(job.kind) ? time : Duration{};
}

Duration JobCosts::resumed(const Job& job) {
  return std::exchange(messages_came_, false) ? job_time_.resumed(job) : Duration{};
}

JobCost JobCosts::begin(const Job& job) {
  const double factor = job.kind == JobKind::gradient ? straggling(job) : 1;
  // Evaluated also if a time is recorded: messages find the caches as this job leaves them.
  const Duration late = miss_penalty(job) + resumed(job) + handed_over(job);
  if (const auto took = recorded_.begin(job)) return as_recorded(job, *took, factor);
  const Resource resource = history_.of(job.kind);
  const Duration undisturbed = time_factors_.scaled(resource, job_time_.of(job) + late);
  JobCost asked{CostBreakdown(resource, undisturbed)};
  if (job.kind == JobKind::gradient) asked = gradient(job, undisturbed, factor);
  return asked;
}

JobCost JobCosts::as_recorded(const Job& job, Duration took, double straggling) const {
  JobCost asked{CostBreakdown(history_.of(job.kind), took), Cpu::ShareMode::recorded, {}, {}};
  const auto given = times_.given(job);
  if (given) asked.least = {std::llround(static_cast<double>(given->ns) * straggling)};
  return asked;
}

JobCost JobCosts::gradient(const Job& job, Duration undisturbed, double straggling) const {
  const Resource resource = history_.of(job.kind);
  const auto given = times_.given(job);
  const Duration usual = given ? time_factors_.scaled(resource, *given) : undisturbed;
  const auto times = [usual](double factor) { return static_cast<double>(usual.ns) * factor; };
  const double stretched = times(straggling * jitter_factor_);
  if (stretched > 1e18) throw InputError("stragglers: a gradient takes longer than 30 years");
  const Duration length{std::llround(stretched)};
  const Duration steady{std::llround(times(jitter_factor_))};
  JobCost asked{CostBreakdown(resource, given ? undisturbed : steady)};
  asked.straggling = std::max(Duration{}, length - steady);
  if (given) {
    asked.least = length;
  } else {
    asked.effort.add(history_.colocated_job() ? resource : Resource::straggling, length - steady);
  }
  asked.effort.add(Resource::framework,
                   time_factors_.scaled(Resource::framework, job_time_.overhead(job)));
  return asked;
}

}  // namespace foretrain::sim
