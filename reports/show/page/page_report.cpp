#include "reports/show/page/page_report.h"

#include "reports/record/files.h"
#include "reports/record/json_object.h"
#include "reports/record/provenance.h"
#include "reports/show/figures/of_records.h"
#include "reports/show/figures/of_studies.h"
#include "reports/show/page/result_page.h"
#include "reports/show/page/sections.h"
#include "reports/studies/sweep/finding.h"
#include "reports/studies/trainings/trainings_result.h"
#include "reports/studies/validation/output.h"
#include "reports/studies/whatif/whatif_data.h"
#include "scenarios/language/input_error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

namespace foretrain {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

Json json_in(const fs::path& path) {
  return parse_json(read_text_file(path), path.string(), kDamagedFile);
}

JsonObject object_in(const Json& json, const fs::path& path) {
  return {json, path.string() + ":", kDamagedFile};
}

/// Subfolders of `folder` in natural order: 2 precedes 10.
std::vector<fs::path> folders_in(const fs::path& folder) {
  std::vector<fs::path> folders;
  if (!fs::is_directory(folder)) return folders;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.is_directory()) folders.push_back(entry.path());
  }
  std::ranges::sort(folders, [](const fs::path& a, const fs::path& b) {
    return strverscmp(a.filename().c_str(), b.filename().c_str()) < 0;
  });
  return folders;
}

void add_record(const fs::path& folder, Found& found) {
  found.records.push_back(read_record(folder));
  const auto provenance = read_provenance(folder);
  found.builds.push_back(provenance ? provenance->build : "");
}

/// Adds a run and the simulation of each case, side by side, if the cases are few; or every run.
void add_records_of_validation(const fs::path& folder, Found& found) {
  const std::vector<fs::path> cases = folders_in(folder / "run");
  if (cases.size() > kDetailedCases && !found.every_run) return;
  for (const fs::path& each : cases) {
    auto runs = folders_in(each);
    if (!found.every_run && !runs.empty()) runs.resize(1);
    for (const fs::path& run : runs) add_record(run, found);
    const fs::path simulated = folder / "simulate" / each.filename();
    if (fs::exists(simulated / "run.json")) add_record(simulated, found);
  }
}

void add_validation(const fs::path& path, Found& found) {
  const Json json = json_in(path);
  const JsonObject validation = object_in(json, path);
  found.sections.push_back(validation_section(validation));
  found.sentences.push_back(validation.known_text("sentence"));
  if (validation.has("scenario")) found.name = validation.text("scenario");
  if (found.question.empty()) found.question = validation.known_text("question");
  add_records_of_validation(path.parent_path(), found);
}

void add_answer(const JsonObject& whatif, Found& found) {
  const Result result = whatif_result(whatif);
  found.sections.push_back(result_section(
      "whatif", "What if", result, {result_figure("whatif", result, whatif.known_text("source"))}));
  found.sentences.push_back(result.sentence);
  found.name = whatif.text("name");
  if (found.question.empty()) found.question = whatif.known_text("question");
  if (found.question.empty())
    found.question = "What limits this training, what would changes save?";
}

/// Adds the answer to one case, or to all cases of a sweep.
void add_whatif(const fs::path& path, Found& found) {
  const Json json = json_in(path);
  const JsonObject file = object_in(json, path);
  if (!file.has("cases")) return add_answer(file, found);
  for (const JsonObject& each : file.objects("cases")) add_answer(each, found);
}

/// `path`: the table; sweep.json beside it has the scenario, except from an older program.
void add_sweep(const fs::path& path, Found& found) {
  const SweepTable sweep = read_sweep(read_text_file(path), path.string());
  std::vector<std::string> footing;
  if (const fs::path about = path.parent_path() / "sweep.json"; fs::exists(about)) {
    const Json json = json_in(about);
    const JsonObject asked = object_in(json, about);
    if (asked.has("name")) found.name = asked.text("name");
    if (found.question.empty()) found.question = asked.known_text("question");
    if (asked.has("stands_on")) footing = asked.texts("stands_on");
  }
  found.sections.push_back(sweep_section(sweep, footing));
  found.sentences.push_back(sweep_sentence(sweep));
}

std::string what_is_wrong(const fs::path& folder) {
  if (!fs::exists(folder)) return "no such folder";
  if (!fs::is_directory(folder)) return "this is a file; name the folder that it is in";
  if (fs::is_directory(folder / "run") && fs::is_directory(folder / "simulate")) {
    return "an unfinished validation; continue it by validate with the same --out";
  }
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  constexpr std::size_t kNamed = 4;
  const bool more = names.size() > kNamed;
  if (more) names.resize(kNamed);
  return fmt::format(
      "no run.json, validation.json, sweep.csv or whatif.json here, nor folders with a run.json or "
      "a whatif.json: {}",
      names.empty() ? "it is empty"
                    : fmt::format("it holds {}{}", fmt::join(names, ", "), more ? ", ..." : ""));
}

/// Adds numbers to ids, titles, figure names of sections that have the same title.
void make_unique(std::vector<Section>& sections) {
  for (std::size_t i = 0; i < sections.size(); ++i) {
    int number = 1;
    for (std::size_t j = 0; j < i; ++j) number += sections[j].title == sections[i].title ? 1 : 0;
    if (number == 1) continue;
    sections[i].id += fmt::format("-{}", number);
    for (Figure& figure : sections[i].figures) figure.name += fmt::format("_{}", number);
  }
  for (Section& section : sections) {
    const auto dash = section.id.rfind('-');
    if (dash != std::string::npos) section.title += " (" + section.id.substr(dash + 1) + ")";
  }
}

}  // namespace

void add_folder(const fs::path& folder, Found& found) {
  // The output of `whatif --json` may be a file by itself.
  if (fs::is_regular_file(folder) && folder.extension() == ".json") {
    return add_whatif(folder, found);
  }
  const std::size_t before = found.records.size() + found.sections.size();
  if (fs::exists(folder / "run.json")) add_record(folder, found);
  if (fs::exists(folder / "validation.json")) add_validation(folder / "validation.json", found);
  if (fs::exists(folder / "sweep.csv")) add_sweep(folder / "sweep.csv", found);
  if (fs::exists(folder / "whatif.json")) add_whatif(folder / "whatif.json", found);
  if (found.records.size() + found.sections.size() > before) return;
  for (const fs::path& each : folders_in(folder)) {
    if (fs::exists(each / "run.json")) add_record(each, found);
    if (fs::exists(each / "whatif.json")) add_whatif(each / "whatif.json", found);
  }
  if (found.records.size() + found.sections.size() > before) return;
  throw InputError(fmt::format("{}: {}", folder.string(), what_is_wrong(folder)));
}

Page page_of(const Found& found) {
  Page page;
  std::vector<Section> sections = found.sections;
  std::vector<Section> of_records = sections_of(found.records, found.builds);
  Section sweep = sweep_section(sweep_of(found.records));
  const bool has_sweep = std::ranges::any_of(
      sections, [](const Section& s) { return s.id == "sweep" || s.id == "validation"; });
  if (!has_sweep && !sweep.empty()) sections.push_back(std::move(sweep));
  // The summary of records comes first, then studies, then details of records.
  if (!of_records.empty()) {
    sections.insert(sections.begin(), std::move(of_records.front()));
    std::ranges::move(of_records.begin() + 1, of_records.end(), std::back_inserter(sections));
  }
  make_unique(sections);
  page.sections = std::move(sections);
  const std::string names = found.records.empty() ? found.name : names_of(found.records);
  page.title = names.empty() ? "foretrain report" : names + ": foretrain report";
  page.question = found.question;
  for (const Record& record : found.records) {
    if (page.question.empty()) page.question = record.scenario_case.scenario.question;
  }
  std::vector<std::string> sentences = found.sentences;
  std::erase(sentences, "");
  if (sentences.empty()) sentences.push_back(result_of(found.records).sentence);
  page.sentence = fmt::format("{}", fmt::join(sentences, " "));
  return page;
}

std::string write_page(const Page& page, const fs::path& folder, bool with_figures) {
  prepare_folder(folder);
  std::string lines;
  Pictures pictures;
  try {
    for (const Figure& figure : figures_of(page)) {
      if (!with_figures && page_is_interactive()) break;
      const fs::path svg = draw(figure, folder);
      if (!page_is_interactive()) pictures[figure.name] = read_text_file(svg);
      if (with_figures) lines += fmt::format("figure:  {}\n", svg.string());
    }
  } catch (const NoGnuplot& error) {
    lines += fmt::format("figures: not drawn as files: {}\n", error.what());
  }
  write_text_file(folder / "report.html", page_html(page, pictures));
  return lines + fmt::format("page:    {}\n", (folder / "report.html").string());
}

}  // namespace foretrain
