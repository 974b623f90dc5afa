// The strokes of which digits are drawn.
#pragma once

#include <vector>

namespace foretrain {

/// A position in a unit box, x to the right, y downwards.
struct Point {
  double x = 0;
  double y = 0;
};

/// A smooth curve through its points; a corner is where one stroke ends and another starts.
struct Stroke {
  std::vector<Point> points;
  bool closed = false;  ///< the curve continues from the last point to the first
};

/// One way to write a digit.
using Prototype = std::vector<Stroke>;

/// The ways to write a digit, 0 to 9; at least one.
const std::vector<Prototype>& prototypes_of(int digit);

/// The curve as straight pieces: a Catmull-Rom spline, `pieces` of them between two points. A
/// stroke of two points is one piece.
std::vector<Point> flatten(const Stroke& stroke, int pieces);

}  // namespace foretrain
