// The published studies as a page.
#include "reports/record/text.h"
#include "reports/show/figures/of_studies.h"
#include "reports/show/page/sections.h"
#include "reports/studies/published/tables.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace foretrain {
namespace {

/// Green and red are for what was forecast: a fit says nothing, nor does what nobody explains.
Cell::Tone tone_of(const Prediction& prediction) {
  const auto error = prediction.error();
  if (prediction.role != Role::forecast || !error) return Cell::Tone::plain;
  return std::abs(*error) <= kNear ? Cell::Tone::good : Cell::Tone::bad;
}

Section studies_section(const std::vector<StudySummary>& summaries) {
  Table table{"A line a study",
              kPredictionsSource,
              {{"study"},
               {"figures", true},
               {"fitted", true},
               {"forecasts", true},
               {"median error of forecasts [%]", true},
               {fmt::format("forecasts within {:.0f} %", kNear * 100), true},
               {"unexplained, artefact, impossible", true},
               {"not predicted", true}},
              {}};
  const auto number = [](int value) { return Cell{fmt::format("{}", value)}; };
  for (const StudySummary& s : summaries) {
    table.rows.push_back({{s.study},
                          number(s.figures),
                          number(s.fitted),
                          number(s.forecasts),
                          {fmt::format("{:.1f}", s.median_error * 100)},
                          number(s.near),
                          number(s.not_explained),
                          number(s.without)});
  }
  return {
      "studies",
      "Studies",
      "What course studies of distributed TensorFlow reported from 2017 to 2019, beside what is "
      "forecast of it.",
      {std::move(table)},
      {}};
}

Section study_section(const std::string& study, const std::vector<Prediction>& predictions) {
  Table table{"Every reported figure of " + study,
              kPredictionsSource,
              {{"figure"},
               {"unit"},
               {"reported", true},
               {"predicted", true},
               {"error [%]", true},
               {"role"},
               {"from", false, true},
               {"note", false, true}},
              {}};
  for (const Prediction& each : predictions) {
    if (each.reported.study != study) continue;
    const auto error = each.error();
    table.rows.push_back({{each.reported.title()},
                          {each.reported.unit},
                          {figure(each.reported.value)},
                          {figure(each.predicted)},
                          {error ? fmt::format("{:+.1f}", *error * 100) : "-", tone_of(each)},
                          {name_of(each.role)},
                          {each.from.empty() ? "-" : each.from},
                          {each.note}});
  }
  Section section{study, study, {}, {std::move(table)}, {}};
  Figure drawing = published_figure(study, predictions);
  if (!drawing.panels.empty()) section.figures.push_back(std::move(drawing));
  return section;
}

Section claims_section(const std::vector<ClaimAnswers>& claims) {
  Section section{"claims",
                  "What the authors claim",
                  "The study's own figures, the forecast of them, a run on this machine: each a "
                  "comparison of two figures.",
                  {},
                  {}};
  if (claims.empty()) return section;
  Table table{"Claims",
              {},
              {{"claim", false, true},
               {"study"},
               {"reported", false, true},
               {"simulator", false, true},
               {"executor", false, true},
               {"note", false, true}},
              {}};
  for (const ClaimAnswers& each : claims) {
    table.rows.push_back({{each.claim.text},
                          {each.claim.study},
                          {sentence(each.reported)},
                          {sentence(each.simulator)},
                          {sentence(each.executor)},
                          {each.claim.note}});
  }
  section.tables.push_back(std::move(table));
  return section;
}

}  // namespace

Page published_page(const std::vector<Prediction>& predictions,
                    const std::vector<ClaimAnswers>& claims) {
  const std::vector<StudySummary> summaries = summarize(predictions);
  Page page{"Published studies: foretrain report", {}, summary_sentence(summaries), {}};
  page.sections.push_back(studies_section(summaries));
  for (const StudySummary& s : summaries) {
    page.sections.push_back(study_section(s.study, predictions));
  }
  page.sections.push_back(claims_section(claims));
  return page;
}

}  // namespace foretrain
