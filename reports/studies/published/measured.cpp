#include "reports/studies/published/measured.h"

#include "reports/record/table_file.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

namespace foretrain {
namespace {

constexpr std::array<std::string_view, 10> kMeasuredColumns{
    "scenario", "case", "quantity", "median", "low", "high", "seeds", "mode", "machine", "date"};

}  // namespace

std::vector<Measured> read_measured(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return {};
  std::vector<Measured> rows;
  for (const TableRow& row : read_table(path, kMeasuredColumns)) {
    const std::vector<std::string>& c = row.cells;
    rows.push_back({c[0], whole_in(c[1], row.place).value_or(0), c[2], number_in(c[3], row.place),
                    number_in(c[4], row.place), number_in(c[5], row.place),
                    whole_in(c[6], row.place).value_or(0), c[7], c[8], c[9]});
  }
  return rows;
}

const Measured* find_measured(const std::vector<Measured>& rows, std::string_view scenario,
                              int number, std::string_view quantity) {
  const auto found = std::ranges::find_if(rows, [&](const Measured& row) {
    return row.scenario == scenario && row.number == number && row.quantity == quantity;
  });
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace foretrain
