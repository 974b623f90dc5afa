// The figures of the published studies.
#pragma once

#include "reports/show/figures/figure.h"
#include "reports/studies/published/predictions.h"

#include <string>
#include <vector>

namespace foretrain {

/// Predicted against reported of a study: times, traffic, the rest, each figure a mark.
/// The title says how many forecasts are near (kNear).
Figure published_figure(const std::string& study, const std::vector<Prediction>& predictions);

}  // namespace foretrain
