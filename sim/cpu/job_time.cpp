#include "sim/cpu/job_time.h"

#include "models/base/check.h"
#include "scenarios/resolve/read.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace foretrain::sim {
namespace {

Duration part(Duration whole, double share) {
  return {std::llround(static_cast<double>(whole.ns) * share)};
}

}  // namespace

JobTime::JobTime(const Machine* machine, const std::string& model,
                 std::optional<Duration> fixed_gradient, const Roofline* device)
    : fixed_gradient_(fixed_gradient), on_device_(device != nullptr) {
  if (model.empty()) compute_ = Source::profiled;
  const bool describes_device = device != nullptr && device->described() && !model.empty();
  if (describes_device) {
    compute_ = Source::described;
    computing_ = *device;
  }
  if (machine == nullptr) return;
  apply_ = machine->apply;
  resume_ = machine->warm_up;
  thread_handoff_ = machine->thread_handoff;
  roofline_ = machine->roofline;
  if (roofline_.described() && apply_ == AffineCost{}) apply_from_ = Source::described;
  if (model.empty() || describes_device) return;
  computing_ = roofline_;
  const auto found = machine->models.find(model);
  if (found != machine->models.end()) {
    model_ = found->second;
  } else if (roofline_.described()) {
    compute_ = Source::described;
  } else if (!fixed_gradient_) {
    throw InputError(fmt::format(
        "machine {}: model {} was not measured; measure it (foretrain calibrate SCENARIO), or give "
        "its gflops and memory_bandwidth",
        machine->name, model));
  }
}

void JobTime::add(const FrameworkSpec& framework, int workers) {
  batch_overhead_ = framework.step;
  example_overhead_ = framework.example;
  update_overhead_ = framework.update + framework.round * (workers - 1);
  evaluates_ = framework.evaluation != "nobody";
}

Duration JobTime::of(const Job& job) const {
  switch (job.kind) {
    case JobKind::gradient:
      return gradient(job);
    case JobKind::evaluate:
      if (!evaluates_) return {};
      if (compute_ == Source::profiled) return profiled(job.cost);
      if (compute_ == Source::described) return described(computing_, job.cost);
      return model_.evaluate.of(static_cast<double>(job.examples));
    case JobKind::apply:
      if (updates_on_device()) return transfer_time(job.cost.bytes, update_rate_);
      return apply(job);
    case JobKind::reduce:
      return apply(job);
  }
  FT_CHECK(!"a kind of job that has a cost");
  return {};
}

Duration JobTime::gradient(const Job& job) const {
  if (fixed_gradient_) return part(*fixed_gradient_, job.share);
  if (compute_ == Source::profiled) return profiled(job.cost);
  if (compute_ == Source::described) return described(computing_, job.cost);
  const Duration measured = part(model_.gradient_of(static_cast<double>(job.examples)), job.share);
  return on_device_ ? measured : measured + moving(job.summed);
}

Duration JobTime::apply(const Job& job) const {
  const AffineCost& own = job.scattered ? model_.sparse_apply : model_.apply;
  const auto bytes = static_cast<double>(job.cost.bytes.value);
  if (own != AffineCost{}) return own.of(bytes);
  return apply_from_ == Source::described ? described(roofline_, job.cost) : apply_.of(bytes);
}

Duration JobTime::of(const SpentCost& spent) const {
  if (spent.cost.measured.ns > 0) return spent.cost.measured;
  const Bytes messages = spent.cost.read.messages + spent.cost.written.messages;
  if (messages.value > 0 && model_.coding != AffineCost{}) {
    return model_.coding.of(static_cast<double>(messages.value));
  }
  return moving(spent.cost.bytes());
}

Duration JobTime::moving(Bytes bytes) const {
  const auto count = static_cast<double>(bytes.value);
  if (apply_from_ == Source::measured) return Duration::from_seconds(count * apply_.per_item_s);
  const double bandwidth = roofline_.memory_bandwidth.value;
  return Duration::from_seconds(bandwidth > 0 ? count / bandwidth : 0);
}

Duration JobTime::profiled(const TotalCost& cost) const {
  return profile_ratio_ == 1 ? cost.measured : part(cost.measured, profile_ratio_);
}

Duration JobTime::described(const Roofline& roofline, const TotalCost& cost) {
  const double computing_s = cost.flops.value / (roofline.gflops * 1e9);
  const double bandwidth = roofline.memory_bandwidth.value;
  const double moving_s = bandwidth > 0 ? static_cast<double>(cost.bytes.value) / bandwidth : 0;
  return roofline.overhead + Duration::from_seconds(std::max(computing_s, moving_s));
}

}  // namespace foretrain::sim
