// The section of a page for a validation.
#include "reports/record/json_object.h"
#include "reports/show/figures/of_studies.h"
#include "reports/show/page/result_page.h"
#include "reports/show/page/sections.h"
#include "reports/studies/validation/output.h"

namespace foretrain {

Section validation_section(const JsonObject& validation) {
  std::vector<Figure> figures{accuracy_of_forecast(validation)};
  if (figures[0].panels.empty()) figures.clear();
  return result_section("validation", "Forecast against measurement", validation_result(validation),
                        std::move(figures));
}

}  // namespace foretrain
