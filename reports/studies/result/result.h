// What a study found, before anybody decides how it is shown.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace foretrain {

class JsonObject;

/// A cell of a table: nothing to say, words, a number in the unit of its column.
using ResultValue = std::variant<std::monostate, std::string, double>;
/// Nothing where it is not known.
ResultValue result_value(std::optional<double> number);

/// A column of a table.
struct ResultColumn {
  enum class Kind {
    words,
    number,   ///< four significant digits
    time,     ///< s; people read `48.2 min`
    count,    ///< a whole number
    share,    ///< of 1; people read per cent: 0.081 is `8.1 %`
    change,   ///< likewise, always with its sign: `-3.1 %`
    comment,  ///< sentences, which files and pages have, a terminal has not
    note,     ///< likewise, but a terminal has them below the table where everything is asked for
  };
  std::string name;   ///< in CSV and JSON: `error_median`
  std::string title;  ///< for people: `median error`
  Kind kind = Kind::number;
  bool judged = false;  ///< a page colours its cells as the row came out (ResultRow::good)
  bool brief = true;    ///< false: files and pages have it, a terminal has not
};

struct ResultRow {
  std::vector<ResultValue> values;  ///< one a column
  std::optional<bool> good = {};    ///< how it came out; nothing: nobody judges it
};

struct ResultTable {
  std::string name;   ///< of its file and in JSON: `studies`
  std::string title;  ///< for people
  std::vector<ResultColumn> columns;
  std::vector<ResultRow> rows;
  bool full = false;  ///< a terminal shows it where everything is asked for
};

/// Rows of a table that people are shown unasked.
inline constexpr std::size_t kBriefRows = 10;

/// A study's answer. Each of its four renderers exists once: to_csv and to_json here,
/// show/terminal/result_text.h, show/page/result_page.h.
struct Result {
  std::string sentence;  ///< the one that matters
  std::vector<ResultTable> tables;
  std::string stands_on;  ///< what is assumed, in a sentence
  /// Further sentences; a terminal shows them where everything is asked for.
  std::vector<std::string> notes = {};
};

/// Adds a row with the values that `object` has by the names of the columns: `a.b` is the value of
/// `b` in the object `a`, a flag reads yes or no. Null, or a key that is not there: nothing to say.
/// `good`: the name of the flag that judges the row; null: none does. @throws InputError
void add_row(ResultTable& table, const JsonObject& object, const char* good = nullptr);

void add_rows(ResultTable& table, const std::vector<JsonObject>& objects);

/// `48.2 min`
std::string time_text(double time_s);
/// As a person reads a cell; `-` where there is nothing to say.
std::string cell_text(const ResultValue& value, ResultColumn::Kind kind);

std::string to_csv(const ResultTable& table);
/// `sentence`, `stands_on`, `notes`, and each table by its name as a list of objects; null where
/// there is nothing to say.
nlohmann::ordered_json to_json(const Result& result);

}  // namespace foretrain
