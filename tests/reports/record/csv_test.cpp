// Rows of text come back as they were written.
#include "reports/record/csv.h"

#include <catch2/catch.hpp>

#include <array>

namespace foretrain {
namespace {

using Rows = std::vector<std::vector<std::string>>;

TEST_CASE("csv rows: text with commas, quotes, lines comes back") {
  constexpr std::array<std::string_view, 3> kColumns{"name", "error", "time_s"};
  const std::string said = "line 3, \"key\":\nnot a number";
  CsvWriter csv(kColumns);
  csv.text("a").text(said).number(0.5).end_row();
  csv.text("b").empty().empty().end_row();
  CHECK(csv_rows(csv.written()) ==
        Rows{{"name", "error", "time_s"}, {"a", said, "0.5"}, {"b", "", ""}});
}

TEST_CASE("csv rows: tables of other programs") {
  CHECK(csv_rows("a,b\r\n1,\"2\"\r\n") == Rows{{"a", "b"}, {"1", "2"}});
  CHECK(csv_rows("a,b\n1,") == Rows{{"a", "b"}, {"1", ""}});
  CHECK(csv_rows("").empty());
}

}  // namespace
}  // namespace foretrain
