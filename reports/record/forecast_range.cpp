#include "reports/record/forecast_range.h"

#include "reports/record/core_state.h"

namespace foretrain {
namespace {

/// Nine of ten errors of protocol, transport and network with a run's own compute times.
constexpr double kProtocol = 0.1;
/// Nine of ten errors of compute by a data sheet (the rows of scenarios/clusters).
constexpr double kDataSheet = 0.25;
/// Nine of ten of a normal distribution, in standard deviations; in half interquartile ranges.
constexpr double kNormal = 1.645;
constexpr double kQuartile = 0.674;

double compute_error(const ComputeBasis& basis) {
  switch (basis.from) {
    case ComputeBasis::From::calibrated:
      return basis.spread * kNormal / kQuartile;
    case ComputeBasis::From::described:
    case ComputeBasis::From::written:
      return kDataSheet;
    case ComputeBasis::From::given:
    case ComputeBasis::From::profile:
      break;
  }
  return 0;
}

}  // namespace

ForecastRange forecast_range(const Record& record) {
  if (record.mode != Mode::simulate) return {};
  double compute = 0;
  for (const ComputeBasis& each : record.basis) compute = std::max(compute, compute_error(each));
  const double error = std::hypot(compute, kProtocol);
  const SpeedRange wander = speed_range(record);
  return {wander.low * (1 - error), wander.high * (1 + error)};
}

}  // namespace foretrain
