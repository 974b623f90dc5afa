// The tables of points for the drawn digits.
#include "models/data/digit_strokes.h"

#include "models/base/check.h"

#include <algorithm>
#include <array>

namespace foretrain {
namespace {

using Prototypes = std::vector<Prototype>;

// clang-format off
Prototypes zero() {
  return {
      {{{{.50, .00}, {.22, .14}, {.10, .50}, {.22, .86}, {.50, 1.0}, {.78, .86}, {.90, .50},
         {.78, .14}}, true}},
      {{{{.60, .00}, {.34, .20}, {.20, .60}, {.30, .92}, {.46, 1.0}, {.68, .80}, {.80, .40},
         {.74, .10}}, true}},
  };
}

Prototypes one() {
  return {
      {{{{.50, .00}, {.50, 1.0}}}},
      {{{{.26, .24}, {.42, .14}, {.56, .00}}}, {{{.56, .00}, {.54, 1.0}}}},
      {{{{.28, .22}, {.52, .00}}}, {{{.52, .00}, {.52, 1.0}}}, {{{.24, 1.0}, {.80, 1.0}}}},
  };
}

Prototypes two() {
  return {
      {{{{.12, .26}, {.26, .06}, {.54, .00}, {.82, .18}, {.76, .44}, {.44, .74}, {.10, 1.0}}},
       {{{.10, 1.0}, {.92, .98}}}},
      {{{{.14, .22}, {.44, .00}, {.80, .20}, {.66, .58}, {.32, .96}, {.10, .92}, {.22, .76},
         {.56, .88}, {.94, .96}}}},
  };
}

Prototypes three() {
  return {
      {{{{.14, .12}, {.44, .00}, {.78, .16}, {.70, .38}, {.40, .48}}},
       {{{.40, .48}, {.76, .56}, {.86, .78}, {.60, .98}, {.32, 1.0}, {.10, .86}}}},
      {{{{.12, .02}, {.84, .02}}}, {{{.84, .02}, {.44, .40}}},
       {{{.44, .40}, {.78, .50}, {.84, .78}, {.54, 1.0}, {.12, .88}}}},
  };
}

Prototypes four() {
  return {
      {{{{.28, .02}, {.22, .30}, {.12, .56}}}, {{{.12, .56}, {.92, .54}}}, {{{.72, .10},
         {.68, 1.0}}}},
      {{{{.64, .00}, {.08, .66}}}, {{{.08, .66}, {.94, .66}}}, {{{.64, .00}, {.64, 1.0}}}},
  };
}

Prototypes five() {
  return {
      {{{{.84, .02}, {.28, .02}}}, {{{.28, .02}, {.22, .42}}},
       {{{.22, .42}, {.52, .36}, {.82, .52}, {.82, .80}, {.54, 1.0}, {.14, .90}}}},
      {{{{.90, .00}, {.58, .04}, {.30, .02}}}, {{{.30, .02}, {.16, .46}, {.54, .44}, {.76, .66},
         {.62, .92}, {.36, 1.0}, {.10, .94}}}},
  };
}

Prototypes six() {
  return {
      {{{{.74, .02}, {.42, .18}, {.20, .50}, {.16, .78}, {.42, 1.0}, {.74, .90}, {.78, .66},
         {.52, .52}, {.22, .66}}}},
      {{{{.46, .00}, {.24, .36}, {.18, .76}, {.46, 1.0}, {.78, .84}, {.66, .60}, {.40, .60},
         {.20, .80}}}},
  };
}

Prototypes seven() {
  return {
      {{{{.10, .04}, {.90, .04}}}, {{{.90, .04}, {.60, .46}, {.42, 1.0}}}},
      {{{{.12, .06}, {.50, .08}, {.86, .02}}}, {{{.86, .02}, {.40, 1.0}}}, {{{.34, .52},
         {.84, .50}}}},
  };
}

Prototypes eight() {
  return {
      {{{{.50, .46}, {.22, .30}, {.26, .08}, {.50, .00}, {.74, .08}, {.78, .30},
         {.50, .46}, {.18, .70}, {.24, .92}, {.50, 1.0}, {.76, .92}, {.82, .70}}, true}},
      {{{{.52, .00}, {.28, .10}, {.30, .36}, {.52, .46}, {.74, .36}, {.76, .10}}, true},
       {{{.52, .46}, {.20, .60}, {.18, .88}, {.48, 1.0}, {.80, .88}, {.82, .60}}, true}},
  };
}

Prototypes nine() {
  return {
      {{{{.80, .22}, {.54, .00}, {.22, .16}, {.22, .42}, {.52, .52}, {.80, .22}}}, {{{.80, .22},
         {.76, .60}, {.66, 1.0}}}},
      {{{{.78, .26}, {.52, .02}, {.22, .18}, {.26, .46}, {.56, .48}, {.78, .26}}}, {{{.78, .04},
         {.80, .56}, {.66, .92}, {.40, 1.0}, {.18, .90}}}},
  };
}
// clang-format on

/// Catmull-Rom: b at t = 0, c at t = 1, with the directions a to c in b, b to d in c.
double curve_point(double a, double b, double c, double d, double t) {
  return b + 0.5 * t * ((c - a) + t * ((2 * a - 5 * b + 4 * c - d) + t * (3 * (b - c) + d - a)));
}

}  // namespace

const std::vector<Prototype>& prototypes_of(int digit) {
  static const std::array<Prototypes, 10> kTable{zero(), one(), two(),   three(), four(),
                                                 five(), six(), seven(), eight(), nine()};
  FT_CHECK_OP(digit, >=, 0);
  FT_CHECK_OP(digit, <=, 9);
  return kTable[static_cast<std::size_t>(digit)];
}

std::vector<Point> flatten(const Stroke& stroke, int pieces) {
  const auto& points = stroke.points;
  const int count = static_cast<int>(points.size());
  FT_CHECK_OP(count, >=, 2);
  if (count == 2) return points;
  // Beyond its ends an open curve repeats its last point, and a closed one wraps around.
  const auto at = [&](int i) -> const Point& {
    const int index = stroke.closed ? (i + count) % count : std::clamp(i, 0, count - 1);
    return points[static_cast<std::size_t>(index)];
  };
  std::vector<Point> line{points.front()};
  for (int i = 0; i < (stroke.closed ? count : count - 1); ++i) {
    const Point &a = at(i - 1), &b = at(i), &c = at(i + 1), &d = at(i + 2);
    for (int piece = 1; piece <= pieces; ++piece) {
      const double t = static_cast<double>(piece) / pieces;
      line.push_back({curve_point(a.x, b.x, c.x, d.x, t), curve_point(a.y, b.y, c.y, d.y, t)});
    }
  }
  return line;
}

}  // namespace foretrain
