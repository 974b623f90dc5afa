#include "models/optimizers/schedule.h"

#include "models/base/check.h"
#include "models/optimizers/update.h"

#include <algorithm>
#include <numbers>

namespace foretrain {
namespace {

/// 1 - t^2 / (a b) (1 - t^2 / (c d) (1 - ...)): the series of sine (over t) or cosine by Horner,
/// with `first` 2 for cosine, 3 for sine. |t| <= pi / 4: the next term is below 2^-58.
double alternating_series(double t, int first) {
  double sum = 1;
  for (int k = first + 14; k >= first; k -= 2) sum = 1 - sum * (t * t) / (k * (k - 1));
  return sum;
}

/// cos(pi x) for 0 <= x <= 1, to about 2 units in the last place; only additions, multiplications
/// and divisions, so the same bits everywhere. Exact at 0, 1/2, 1.
double portable_cos_pi(double x) {
  if (x > 0.5) return -portable_cos_pi(1 - x);
  if (x <= 0.25) return alternating_series(std::numbers::pi * x, 2);
  const double t = std::numbers::pi * (0.5 - x);
  return t * alternating_series(t, 3);
}

double without_warmup(const ScheduleSpec& spec, std::int64_t examples) {
  if (spec.kind == "constant") return 1;
  if (spec.kind == "step") {
    FT_CHECK_OP(spec.every, >, 0);
    return whole_power(spec.factor, examples / spec.every);
  }
  FT_CHECK(spec.kind == "cosine");
  FT_CHECK_OP(spec.examples, >, 0);
  const double share =
      static_cast<double>(std::min(examples, spec.examples)) / static_cast<double>(spec.examples);
  return spec.floor + (1 - spec.floor) * (0.5 * (1 + portable_cos_pi(share)));
}

}  // namespace

std::vector<std::string> schedule_names() { return {"constant", "step", "cosine"}; }

double rate_factor(const ScheduleSpec& spec, std::int64_t examples) {
  FT_CHECK_OP(examples, >=, 0);
  const double factor = without_warmup(spec, examples);
  if (examples >= spec.warmup) return factor;
  return factor * (static_cast<double>(examples) / static_cast<double>(spec.warmup));
}

}  // namespace foretrain
