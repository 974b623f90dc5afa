#include "scenarios/resolve/gradient_times.h"

#include <algorithm>
#include <cmath>

namespace foretrain {

double GradientTimes::begin(const Job& job) {
  if (job.kind != JobKind::gradient || !draws_) return 1;
  if (job.stage == 0) {
    factor_ = draws_->next();
    if (real_cores_ && !given_) factor_ = std::max(1.0, factor_);
  }
  return factor_;
}

std::optional<Duration> GradientTimes::given(const Job& job) const {
  if (job.kind != JobKind::gradient || !given_) return std::nullopt;
  return Duration{std::llround(static_cast<double>(given_->ns) * job.share)};
}

}  // namespace foretrain
