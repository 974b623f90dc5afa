// Figures of published studies: their titles say how many forecasts are near.
#include "reports/show/figures/of_studies.h"

#include <catch2/catch.hpp>

#include <vector>

namespace foretrain {
namespace {

Prediction predicted_second(Role role, double reported, double predicted) {
  Prediction made;
  made.role = role;
  made.reported.study = "course";
  made.reported.metric = "time";
  made.reported.value = reported;
  made.reported.unit = "s";
  made.predicted = predicted;
  return made;
}

}  // namespace

TEST_CASE("figure of a published study: its title says how many forecasts are near") {
  std::vector<Prediction> predictions{
      predicted_second(Role::fitted, 10, 10), predicted_second(Role::forecast, 10, 11),
      predicted_second(Role::forecast, 10, 9), predicted_second(Role::forecast, 10, 20)};
  const Figure figure = published_figure("course", predictions);
  CHECK(figure.title == "course: 2 of 3 forecasts within 15 % of what was reported");
  REQUIRE(figure.panels.size() == 1);
  predictions.resize(1);
  CHECK(published_figure("course", predictions).title == "course: predicted against reported");
}

}  // namespace foretrain
