// The figures of what others measured on their clusters.
#pragma once

#include "reports/show/figures/figure.h"
#include "reports/studies/clusters/forecast.h"

#include <string>
#include <vector>

namespace foretrain {

/// Of a study a figure a series, in their order: measured points, the line of the forecasts, that
/// of linear scaling, over the devices. Titles say how far off both are at most. Of collectives
/// alone there is none: their payloads differ, not their devices.
std::vector<Figure> cluster_figures(const std::string& study,
                                    const std::vector<ClusterForecast>& forecasts);

}  // namespace foretrain
