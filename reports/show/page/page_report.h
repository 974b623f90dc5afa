// Reports of folders with records, validations, sweeps, answers to what if.
#pragma once

#include "reports/record/record.h"
#include "reports/show/page/page.h"

#include <filesystem>
#include <string>
#include <vector>

namespace foretrain {

/// The contents of folders.
struct Found {
  std::vector<Record> records;
  std::vector<std::string> builds;  ///< program version that wrote each record; empty: not known
  std::vector<Section> sections;    ///< for validations, sweeps, answers to what if
  std::vector<std::string> sentences;
  std::string name;        ///< of the scenario, if there are no records
  std::string question;    ///< of the first scenario that has one
  bool every_run = false;  ///< read all runs of all cases of a validation
};

/// Adds the contents of a folder: a record (run.json) or an answer to what if (whatif.json); or its
/// subfolders with those, as run, simulate, whatif write them for a sweep; a validation
/// (validation.json), with its records if it has few cases; a sweep (sweep.csv). `folder` may also
/// be a file with the output of `whatif --json`. @throws InputError if there is none of these, or
/// one is damaged
void add_folder(const std::filesystem::path& folder, Found& found);

/// The page of everything that was found. Its headline joins the sentences of all parts.
Page page_of(const Found& found);

/// Writes FOLDER/report.html, after the figures as files: all, or those that the page needs, which
/// are none if its charts are interactive. Returns a line for each file. Without gnuplot the page
/// is still written; a line reports the missing files. @throws InputError if nothing can be written
std::string write_page(const Page& page, const std::filesystem::path& folder,
                       bool with_figures = false);

}  // namespace foretrain
