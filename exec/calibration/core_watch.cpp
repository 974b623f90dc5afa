#include "exec/calibration/core_watch.h"

#include "exec/system/reference_kernel.h"
#include "reports/record/statistics.h"

#include <utility>

namespace foretrain::exec {
namespace {

constexpr int kFirstLooks = 15;  // 0.3 s: covers some of the machine's speeds

std::vector<double> all_of(const std::vector<CoreLook>& looks, double CoreLook::*figure) {
  std::vector<double> values;
  for (const CoreLook& look : looks) {
    if (look.*figure > 0) values.push_back(look.*figure);
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

}  // namespace

CoreLook look_at(const std::vector<int>& cores) {
  return {time_reference({cores.front()}), cores.size() > 1 ? time_reference(cores) : 0};
}

CoreWatch::CoreWatch(Look look, const CoresSeen& known)
    : look_(std::move(look)), known_(known), first_s_(known.alone.median.seconds()) {
  if (first_s_ > 0) return;
  for (int i = 0; i < kFirstLooks; ++i) looks_.push_back(look_());
  first_s_ = median(all_of(looks_, &CoreLook::alone_s)).value();
}

CoreLook CoreWatch::look() { return looks_.emplace_back(look_()); }

double CoreWatch::slower(const CoreLook& before, const CoreLook& after) const {
  return (before.alone_s + after.alone_s) / 2 / first_s_;
}

double CoreWatch::settled() const {
  if (known_.known()) return 1;
  return median(all_of(looks_, &CoreLook::alone_s)).value() / first_s_;
}

CoresSeen CoreWatch::seen() const {
  CoresSeen seen = known_;
  if (!known_.known()) {
    seen.alone = times_of(all_of(looks_, &CoreLook::alone_s));
    seen.together = times_of(all_of(looks_, &CoreLook::together_s));
  }
  return seen;
}

}  // namespace foretrain::exec
