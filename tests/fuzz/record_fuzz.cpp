// Fuzzes the reader of records with one file of a folder.
#include "reports/record/files.h"
#include "reports/record/inputs.h"
#include "reports/record/provenance.h"
#include "reports/show/page/page_report.h"
#include "scenarios/language/input_error.h"
#include "tests/fuzz/fuzz.h"
#include "tests/reports/support.h"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

using namespace foretrain;
using namespace foretrain::fuzz;

namespace {

constexpr std::array kFiles{kRunFile,   kStepsFile,  kEvalsFile,
                            kUsageFile, kInputsFile, kProvenanceFile};

/// A run of two workers and a server; the content of each file, keyed by name.
std::map<std::string, std::string> whole_record(const std::filesystem::path& folder) {
  Record record = testing::small_record(Mode::run, "sync");
  for (const std::uint32_t node : {0U, 1U, 2U}) {
    InputRow row;
    row.node = node;
    record.inputs.push_back(row);
    row.kind = InputRow::Kind::computed;
    row.time = {1'000'000};
    record.inputs.push_back(row);
  }
  write_record(record, folder);
  write_provenance({"0123456789ab", "2026-11-24", "here", {"foretrain", "run"}}, folder);
  std::map<std::string, std::string> files;
  for (const char* name : kFiles) files[name] = testing::read_text(folder / name);
  return files;
}

}  // namespace

/// A readable record is also turned into the page of a report.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::filesystem::path folder = scratch_folder() / "record";
  static const std::map<std::string, std::string> whole = whole_record(folder);
  const auto [which, text] = chosen_of(text_of(data, size), kFiles.size());
  const std::string name = kFiles[which];
  testing::write_text(folder / name, std::string(text));
  expect_refusal_at_most(folder.string(), [&] {
    Found found;
    add_folder(folder, found);
    page_of(found);
  });
  testing::write_text(folder / name, whole.at(name));
  return 0;
}
