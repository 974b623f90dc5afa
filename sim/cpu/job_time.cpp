#include "sim/cpu/job_time.h"

#include "models/base/check.h"
#include "scenarios/read.h"

#include <fmt/format.h>

#include <cmath>

namespace foretrain::sim {
namespace {

Duration part(Duration whole, double share) {
  return {std::llround(static_cast<double>(whole.ns) * share)};
}

}  // namespace

JobTime::JobTime(const Machine* machine, const std::string& model,
                 std::optional<Duration> fixed_gradient)
    : fixed_gradient_(fixed_gradient) {
  if (machine == nullptr) return;
  apply_ = machine->apply;
  const auto found = machine->models.find(model);
  if (found != machine->models.end()) {
    model_ = found->second;
  } else if (!fixed_gradient_) {
    throw InputError(fmt::format(
        "machine {}: nothing is known of the model {}; measure it: foretrain calibrate SCENARIO",
        machine->name, model));
  }
}

Duration JobTime::of(const Job& job) const {
  switch (job.kind) {
    case JobKind::gradient:
      return part(fixed_gradient_ ? *fixed_gradient_
                                  : model_.gradient.of(static_cast<double>(job.examples)),
                  job.share);
    case JobKind::evaluate:
      return model_.evaluate.of(static_cast<double>(job.examples));
    case JobKind::apply:
    case JobKind::reduce:
      return apply_.of(static_cast<double>(job.cost.bytes.value));
  }
  FT_CHECK(!"a kind of job that has a cost");
  return {};
}

}  // namespace foretrain::sim
