// Rows of text read back as they were written.
#include "reports/record/record_csv.h"

#include <catch2/catch.hpp>

#include <array>

namespace foretrain {
namespace {

TEST_CASE("csv: text with commas, quotes, lines, blanks at its ends comes back") {
  constexpr std::array<std::string_view, 3> kColumns{"name", "error", "time_s"};
  const std::string said = "line 3, \"key\":\nnot a number";
  CsvWriter csv(kColumns);
  csv.text("a").text(said).number(0.5).end_row();
  csv.text(" b\t").empty().empty().end_row();
  CsvRows rows(csv.written(), CsvRows::Comments::are_rows,
               [](std::size_t, std::size_t, const std::string& what) { FAIL(what); });
  std::vector<std::vector<std::string>> all;
  while (rows.next()) all.push_back(rows.texts());
  CHECK(all == std::vector<std::vector<std::string>>{
                   {"name", "error", "time_s"}, {"a", said, "0.5"}, {" b\t", "", ""}});
}

}  // namespace
}  // namespace foretrain
