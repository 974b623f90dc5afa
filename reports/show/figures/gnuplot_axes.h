// The axes of a panel as commands of gnuplot.
#pragma once

#include "reports/show/figures/figure.h"

#include <string>
#include <string_view>

namespace foretrain {

/// Half the height of a bar that lies, of the distance between rows.
inline constexpr double kRowHalfWidth = 0.38;

/// Text in single quotes, in which gnuplot knows no escape but the doubled quote.
std::string gnuplot_literal(std::string_view text);

/// What is shown of the axis, names or figures at it. Around points there is a margin, so that none
/// lies on the frame; bars stand on zero. `slanted`: names are too long for their places.
std::string gnuplot_x_axis(const Panel& panel, bool slanted);
std::string gnuplot_y_axis(const Panel& panel);

}  // namespace foretrain
