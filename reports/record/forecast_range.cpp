#include "reports/record/forecast_range.h"

#include <algorithm>
#include <cmath>

namespace foretrain {
namespace {

/// 90th percentile of the error that protocol, transport and network cause, measured with the runs'
/// own compute times: of 125 rows of the ledger (scenarios/validation) 47 % have 95 % of their
/// cases within 12.5 %, 59 % within 15 %.
constexpr double kProtocol = 0.15;
/// Assumed error of compute times from a data sheet. Forecasts that are based on one measured row
/// per series are within 23 % in nine of ten cases (scenarios/clusters); a data sheet is worse.
constexpr double kDataSheet = 0.25;
/// Counted networks. On fitted devices nine of ten of llm-foundry's rows that were not used to fit
/// are within kFitted (scenarios/networks/README.md). On other devices the shares of the peak are
/// assumed; kCounted is about as much as those of A100 and H100 differ.
constexpr double kFitted = 0.10;
constexpr double kCounted = 0.30;
/// Half-width of the central 90 % of a normal distribution in standard deviations, and the half
/// interquartile range.
constexpr double kNormal = 1.645;
constexpr double kQuartile = 0.674;

/// Range of the machine's speed during calibration, relative to its median; 1 to 1 if the speed was
/// steady or was not measured.
ForecastRange wander(const Record& record) {
  if (!record.calibrated.known()) return {};
  const auto other = [&](const NodeTotals& node) {
    return !node.core || node.core != record.nodes.front().core;
  };
  const bool several = record.nodes.size() > 1 && std::ranges::any_of(record.nodes, other) &&
                       record.calibrated.together.median.ns > 0;
  const ReferenceTimes& times = several ? record.calibrated.together : record.calibrated.alone;
  const double median_s = times.median.seconds();
  const ForecastRange range{times.fastest.seconds() / median_s, times.slowest.seconds() / median_s};
  return range.high > (1 + kWander) * range.low ? range : ForecastRange{};
}

double compute_error(const ComputeBasis& basis) {
  switch (basis.from) {
    case ComputeBasis::From::calibrated:
      return basis.spread * kNormal / kQuartile;
    case ComputeBasis::From::described:
    case ComputeBasis::From::written:
      return kDataSheet;
    case ComputeBasis::From::fitted:
      return kFitted;
    case ComputeBasis::From::counted:
      return kCounted;
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
  const ForecastRange speed = wander(record);
  return {speed.low * (1 - error), speed.high * (1 + error), kForecastsApart};
}

}  // namespace foretrain
