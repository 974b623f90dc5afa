// Fuzzes the readers of the studies' JSON files.
#include "reports/show/page/page_report.h"
#include "reports/studies/sweep/journal.h"
#include "reports/studies/sweep/sweep.h"
#include "tests/fuzz/fuzz.h"
#include "tests/reports/support.h"

#include <array>
#include <filesystem>
#include <string>

using namespace foretrain;
using namespace foretrain::fuzz;

namespace {

constexpr std::array kFiles{"validation.json", "whatif.json", "rows.1-of-1.jsonl"};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto [which, text] = chosen_of(text_of(data, size), kFiles.size());
  const std::filesystem::path folder = scratch_folder() / std::to_string(which);
  std::filesystem::create_directories(folder);
  testing::write_text(folder / kFiles[which], std::string(text));
  expect_refusal_at_most(folder.string(), [&] {
    SweepResult sweep;
    sweep.rows = read_rows(folder);
    if (!sweep.rows.empty()) {
      sweep_csv(sweep.rows);
      to_text(sweep, {});
      return;
    }
    Found found;
    add_folder(folder, found);
    page_of(found);
  });
  return 0;
}
