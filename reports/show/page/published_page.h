// The published studies as a page.
#pragma once

#include "reports/show/page/page.h"
#include "reports/studies/published/claims.h"
#include "reports/studies/published/predictions.h"

#include <vector>

namespace foretrain {

/// A line a study; of each study the drawing, the table of every figure; claims last.
Page published_page(const std::vector<Prediction>& predictions,
                    const std::vector<ClaimAnswers>& claims);

}  // namespace foretrain
