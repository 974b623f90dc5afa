// A report of whatever folders hold: records, validations, sweeps, answers to what if.
#pragma once

#include "reports/record/record.h"
#include "reports/show/page/page.h"

#include <filesystem>
#include <string>
#include <vector>

namespace foretrain {

/// What was found in folders.
struct Found {
  std::vector<Record> records;
  std::vector<std::string> builds;  ///< that wrote each record; empty: its folder does not say
  std::vector<Section> sections;    ///< of validations, sweeps, answers to what if
  std::vector<std::string> sentences;
  std::string name;      ///< of the scenario, where no record says it
  std::string question;  ///< of the first scenario that has one
};

/// Adds what a folder holds: a record (run.json), an answer to what if (whatif.json), or folders of
/// them below it, as run, simulate, whatif leave them of a sweep; a validation (validation.json),
/// of few cases with its records; a sweep (sweep.csv). A file may be named itself that holds what
/// `whatif --json` printed. @throws InputError where it holds none of them, or is damaged
void add_folder(const std::filesystem::path& folder, Found& found);

/// The page of all that was found; the first sentence is that of the first section.
Page page_of(const Found& found);

/// Draws every figure of the page as files, writes FOLDER/report.html. Returns a line for each. A
/// page whose charts move is written without gnuplot, too; a line says so.
/// @throws InputError where nothing can be written
std::string write_report(const Page& page, const std::filesystem::path& folder);

/// As write_report, with no files of figures but those that the page needs: none where its charts
/// move. Tells of the page alone.
std::string write_page(const Page& page, const std::filesystem::path& folder);

}  // namespace foretrain
