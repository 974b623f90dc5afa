// What others measured on their clusters, as a page.
#pragma once

#include "reports/show/page/page.h"
#include "reports/studies/clusters/forecast.h"

#include <vector>

namespace foretrain {

/// A line a study; of each study a drawing a series, the table of every figure.
Page clusters_page(const std::vector<ClusterForecast>& forecasts);

}  // namespace foretrain
