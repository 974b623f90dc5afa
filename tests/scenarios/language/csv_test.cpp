// Tables are split as in RFC 4180.
#include "scenarios/language/csv.h"

#include <catch2/catch.hpp>

#include <stdexcept>
#include <string>
#include <vector>

namespace foretrain::testing {
namespace {

using Rows = std::vector<std::vector<std::string>>;

CsvRows::Fail told() {
  return [](std::size_t line, std::size_t column, const std::string& what) {
    throw std::runtime_error(std::to_string(line) + ":" + std::to_string(column) + ": " + what);
  };
}

Rows rows_of(const std::string& text, CsvRows::Comments comments = CsvRows::Comments::are_rows) {
  CsvRows rows(text, comments, told());
  Rows all;
  while (rows.next()) all.push_back(rows.texts());
  return all;
}

TEST_CASE("csv: rows end in a line feed or with the text") {
  CHECK(rows_of("a,b\r\n1,\"2\"\r\n") == Rows{{"a", "b"}, {"1", "2"}});
  CHECK(rows_of("a,b\n1,") == Rows{{"a", "b"}, {"1", ""}});
  CHECK(rows_of("a\n\nb") == Rows{{"a"}, {""}, {"b"}});
  CHECK(rows_of("").empty());
  CsvRows rows("a\nb", CsvRows::Comments::are_rows, told());
  REQUIRE(rows.next());
  CHECK(rows.ended());
  REQUIRE(rows.next());
  CHECK(!rows.ended());
  CHECK(!rows.next());
}

TEST_CASE("csv: a quoted cell holds commas, quotes, line feeds, blanks") {
  CHECK(rows_of("\"a,b\" , \"say \"\"no\"\"\"\n\"two\nlines\",\" c \"\n") ==
        Rows{{"a,b", "say \"no\""}, {"two\nlines", " c "}});
  CHECK(rows_of("\"\",\"\"\"\"\n") == Rows{{"", "\""}});
}

TEST_CASE("csv: each row and cell knows its place") {
  CsvRows rows("# said\n\n \"a\nb\", c\n ,d\n", CsvRows::Comments::are_passed_over, told());
  REQUIRE(rows.next());
  CHECK(rows.line() == 3);
  REQUIRE(rows.cells().size() == 2);
  CHECK(rows.cells()[0].column == 2);
  CHECK(rows.cells()[1].column == 5);
  REQUIRE(rows.next());
  CHECK(rows.line() == 5);
  CHECK(rows.cells()[1].column == 3);
}

TEST_CASE("csv: comments are passed over where they are none of the rows") {
  const std::string text = "# a, \"b\n\na\n \t\n  # c\n#";
  CHECK(rows_of(text, CsvRows::Comments::are_passed_over) == Rows{{"a"}});
  CHECK(rows_of("#a\n") == Rows{{"#a"}});
}

TEST_CASE("csv: a quote that does not end, text behind one, is told with its place") {
  CHECK_THROWS_WITH(rows_of("a\nb,\"c\n"),
                    "2:3: a quoted cell that does not end; write the closing quote");
  CHECK_THROWS_WITH(rows_of("\"a\"b,c\n"),
                    "1:4: text after the closing quote of a cell; write a comma before it");
  CHECK_THROWS_WITH(rows_of("\"a\nb\"c\n"),
                    "2:3: text after the closing quote of a cell; write a comma before it");
}

}  // namespace
}  // namespace foretrain::testing
