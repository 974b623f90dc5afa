// The axes of a panel as gnuplot commands.
#pragma once

#include "reports/show/figures/figure.h"

#include <string>
#include <string_view>

namespace foretrain {

/// Half the height of a horizontal bar, as a share of the distance between rows.
inline constexpr double kRowHalfWidth = 0.38;

/// Text in single quotes, in which gnuplot's only escape is the doubled quote.
std::string gnuplot_literal(std::string_view text);

/// Range and tick labels of the axis. A margin keeps points off the frame; bars begin at zero.
/// `slanted`: the names are too long to be horizontal.
std::string gnuplot_x_axis(const Panel& panel, bool slanted);
std::string gnuplot_y_axis(const Panel& panel);

}  // namespace foretrain
