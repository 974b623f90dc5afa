// The result of a study, independent of how it is shown.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace foretrain {

class JsonObject;

/// A cell of a table: empty, words, or a number in the unit of its column.
using ResultValue = std::variant<std::monostate, std::string, double>;
/// A cell that is empty if `number` is not known.
ResultValue result_value(std::optional<double> number);

/// A column of a table.
struct ResultColumn {
  enum class Kind {
    words,
    number,   ///< four significant digits
    time,     ///< s; printed for people as `48.2 min`
    count,    ///< an integer
    share,    ///< a fraction; printed for people in per cent: 0.081 is `8.1 %`
    change,   ///< a relative change; printed in per cent with its sign: `-3.1 %`
    comment,  ///< sentences for files and pages; not shown in a terminal
    note,     ///< as `comment`, but with --full a terminal shows them below the table
  };
  std::string name;   ///< in CSV and JSON: `error_median`
  std::string title;  ///< for people: `median error`; a terminal breaks it at '\n'
  Kind kind = Kind::number;
  bool judged = false;  ///< a page colours its cells by ResultRow::good
  bool brief = true;    ///< false: only in files and pages, not in a terminal
};

struct ResultRow {
  std::vector<ResultValue> values;  ///< one per column
  std::optional<bool> good = {};    ///< how the row is judged; empty if it is not
};

/// A question to answer on paper. Only a page shows it: with lines to write on, or the answer.
struct WrittenQuestion {
  std::string text;
  int lines = 0;
  std::string answer{};
};

struct ResultTable {
  std::string name;   ///< in JSON, and of its file: `studies`
  std::string title;  ///< for people
  std::vector<ResultColumn> columns;
  std::vector<ResultRow> rows;
  bool full = false;                         ///< a terminal shows the table with --full only
  std::string text{};                        ///< a paragraph above it on a page
  std::vector<WrittenQuestion> questions{};  ///< below it
};

/// Rows of a table that a terminal shows without --full.
inline constexpr std::size_t kBriefRows = 10;

/// A study's answer. It has four renderers: to_csv and to_json here, show/terminal/result_text.h,
/// show/page/result_page.h.
struct Result {
  std::string sentence;  ///< the headline
  std::vector<ResultTable> tables;
  std::string stands_on;  ///< the assumptions, in a sentence
  /// Further sentences; a terminal shows them with --full only.
  std::vector<std::string> notes = {};
};

/// Adds a row with the values of `object` whose keys are the names of the columns: `a.b` is the
/// value of `b` in the object `a`, a flag reads yes or no. A null or missing value gives an empty
/// cell. `good`: key of the flag that judges the row; null if there is none. @throws InputError
void add_row(ResultTable& table, const JsonObject& object, const char* good = nullptr);

void add_rows(ResultTable& table, const std::vector<JsonObject>& objects);

/// `48.2 min`
std::string time_text(double time_s);
/// The text of a cell for people; `-` if it is empty.
std::string cell_text(const ResultValue& value, ResultColumn::Kind kind);

std::string to_csv(const ResultTable& table);
/// `sentence`, `stands_on`, `notes`, and each table under its name as a list of objects; an empty
/// cell is null.
nlohmann::ordered_json to_json(const Result& result);

}  // namespace foretrain
