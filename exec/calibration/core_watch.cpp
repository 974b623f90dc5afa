#include "exec/calibration/core_watch.h"

#include "reports/record/statistics.h"

#include <optional>
#include <utility>

namespace foretrain::exec {
namespace {

constexpr int kFirstLooks = 15;  // 0.3 s: some of the moments that a machine has

std::vector<double> all_of(const std::vector<CoreProbe>& probes, double CoreProbe::*figure) {
  std::vector<double> values;
  for (const CoreProbe& probe : probes) {
    if (probe.*figure > 0) values.push_back(probe.*figure);
  }
  return values;
}

ReferenceTimes times_of(const std::vector<double>& values) {
  if (values.empty()) return {};
  const auto at = [&](double share) {
    return Duration::from_seconds(quantile(values, share).value());
  };
  return {at(0.5), at(0.05), at(0.95)};
}

// Median of the hand-overs at this distance; 0: it was not met.
Duration handover_at(const std::vector<CoreProbe>& probes, CoreDistance distance) {
  std::vector<double> values;
  for (const CoreProbe& probe : probes) {
    if (probe.distance == distance) values.push_back(probe.handover_s);
  }
  return Duration::from_seconds(median(values).value_or(0));
}

}  // namespace

CoreWatch::CoreWatch(Look look, const CoresSeen& known)
    : look_(std::move(look)), known_(known), first_s_(known.alone.median.seconds()) {
  if (first_s_ > 0) return;
  for (int i = 0; i < kFirstLooks; ++i) probes_.push_back(look_());
  first_s_ = median(all_of(probes_, &CoreProbe::alone_s)).value();
}

CoreProbe CoreWatch::look() { return probes_.emplace_back(look_()); }

double CoreWatch::slower(const CoreProbe& before, const CoreProbe& after) const {
  return (before.alone_s + after.alone_s) / 2 / first_s_;
}

double CoreWatch::settled() const {
  if (known_.known()) return 1;
  return median(all_of(probes_, &CoreProbe::alone_s)).value() / first_s_;
}

bool CoreWatch::all_near() const {
  if (known_.handover.near.ns > 0 && known_.handover.far.ns > 0) return false;
  const double near_s = handover_at(probes_, CoreDistance::near).seconds();
  const double far_s = handover_at(probes_, CoreDistance::far).seconds();
  return near_s > 0 && far_s > 0 && far_s < kFarAgain * near_s;
}

CoresSeen CoreWatch::seen() const {
  CoresSeen seen = known_;
  if (!known_.known()) {
    seen.alone = times_of(all_of(probes_, &CoreProbe::alone_s));
    seen.together = times_of(all_of(probes_, &CoreProbe::together_s));
  }
  if (all_near()) {
    const double all_s = median(all_of(probes_, &CoreProbe::handover_s)).value();
    if (seen.handover.near.ns == 0) seen.handover.near = Duration::from_seconds(all_s);
    return seen;
  }
  if (seen.handover.near.ns == 0) seen.handover.near = handover_at(probes_, CoreDistance::near);
  if (seen.handover.far.ns == 0) seen.handover.far = handover_at(probes_, CoreDistance::far);
  return seen;
}

}  // namespace foretrain::exec
