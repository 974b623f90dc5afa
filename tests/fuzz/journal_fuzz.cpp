// Fuzzes the reader of records with a file of a killed run.
#include "models/base/check.h"
#include "reports/record/files.h"
#include "reports/record/record_writer.h"
#include "scenarios/language/input_error.h"
#include "tests/fuzz/fuzz.h"
#include "tests/reports/support.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

using namespace foretrain;
using namespace foretrain::fuzz;

namespace {

constexpr std::array kFiles{kStepsFile, kEvalsFile, kUsageFile, kInputsFile};

/// The content of each file, keyed by name.
std::map<std::string, std::string> journal_in(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  Record record = testing::small_record(Mode::run, "sync");
  for (const std::uint32_t node : {0U, 1U, 2U}) record.inputs.emplace_back().node = node;
  RecordWriter writer(folder, RowsKept::all, {});
  writer.begin();
  Record head = record;
  head.steps.clear();
  head.usage.clear();
  head.inputs.clear();
  head.evals.clear();
  writer.renew(head);
  writer.add(record);
  writer.flush();
  std::map<std::string, std::string> files;
  for (const char* name : kFiles) files[name] = testing::read_text(folder / name);
  return files;
}

/// The result is a normal record: it is written with its end, and read again.
void check_same_again(const Record& record) {
  static const std::filesystem::path ended = scratch_folder() / "ended";
  write_record(record, ended);
  const Record again = read_record(ended);
  write_record(again, ended / "twice");
  for (const char* name : {kRunFile, kStepsFile, kEvalsFile, kUsageFile}) {
    FT_CHECK_OP(testing::read_text(ended / name), ==, testing::read_text(ended / "twice" / name));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::filesystem::path folder = scratch_folder() / "journal";
  static const std::map<std::string, std::string> whole = journal_in(folder);
  const auto [which, text] = chosen_of(text_of(data, size), kFiles.size());
  const std::string name = kFiles[which];
  testing::write_text(folder / name, std::string(text));
  expect_refusal_at_most(folder.string(), [&] {
    const Record record = read_record(folder);
    FT_CHECK(record.outcome == Outcome::interrupted);
    check_same_again(record);
  });
  testing::write_text(folder / name, whole.at(name));
  return 0;
}
