#include "reports/studies/measured/figures.h"

#include "reports/record/table_file.h"
#include "reports/studies/measured/measured_quantity.h"
#include "scenarios/language/input_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <system_error>
#include <utility>

namespace foretrain {
namespace {

constexpr auto kNeededColumns = std::to_array<std::string_view>({"quantity", "value"});
constexpr auto kOptionalColumns =
    std::to_array<std::string_view>({"unit", "set", "role", "series", "devices", "scenario", "case",
                                     "node", "study", "figure", "forecast", "note"});
constexpr auto kFigureRoles = std::to_array<std::string_view>(
    {"forecast", "fitted", "base", "given", "unexplained", "artefact", "impossible", "unknown"});

/// Reads cells of a row by column name; errors name the column.
class MeasuredRow {
 public:
  explicit MeasuredRow(const TableRow& row) : row_(row) {}

  [[nodiscard]] const std::string& text(std::string_view column) const {
    static const std::string none;
    const std::string& cell = row_.cells[index_of_column(column)];
    return cell == "-" ? none : cell;
  }
  [[nodiscard]] double number(std::string_view column) const {
    return number_in(text(column), place(column));
  }
  [[nodiscard]] int whole(std::string_view column) const {
    return whole_in(text(column), place(column)).value_or(0);
  }
  [[noreturn]] void fail(std::string_view column, const std::string& what) const {
    throw InputError(fmt::format("{}: {}", place(column), what));
  }

 private:
  static std::size_t index_of_column(std::string_view column) {
    const auto needed = std::ranges::find(kNeededColumns, column);
    if (needed != kNeededColumns.end())
      return static_cast<std::size_t>(needed - kNeededColumns.begin());
    return kNeededColumns.size() +
           static_cast<std::size_t>(std::ranges::find(kOptionalColumns, column) -
                                    kOptionalColumns.begin());
  }
  [[nodiscard]] std::string place(std::string_view column) const {
    return fmt::format("{}: {}", row_.place, column);
  }

  const TableRow& row_;
};

std::vector<std::string> settings_of_row(const MeasuredRow& cells) {
  std::vector<std::string> settings;
  std::string_view rest = cells.text("set");
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(';'), rest.size());
    const std::string setting(rest.substr(0, end));
    if (setting.find('=') == std::string::npos) {
      cells.fail("set", fmt::format("'{}' is no setting; write KEY=VALUE", setting));
    }
    settings.push_back(setting);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return settings;
}

void check_quantity(const MeasuredFigure& figure, const MeasuredRow& cells) {
  if (figure.quantity.empty()) {
    if (figure.known || !(figure.is_judged() || figure.role == "base")) return;
    cells.fail("quantity", "is empty; write a quantity, or the figure's role");
  }
  if (!is_quantity(figure.quantity)) {
    cells.fail("quantity", fmt::format("'{}' is not known; write {}", figure.quantity,
                                       fmt::join(quantity_names(), ", ")));
  }
  if (!figure.unit.empty() && !is_unit_of(figure.unit, figure.quantity)) {
    cells.fail("unit", fmt::format("'{1}' is no unit of {0}; write {2}", figure.quantity,
                                   figure.unit, fmt::join(units_of(figure.quantity), ", ")));
  }
}

std::string figure_title(const MeasuredFigure& figure) {
  const std::string set = fmt::format("{}", fmt::join(figure.settings, ", "));
  if (figure.series.empty()) return set.empty() ? figure.quantity : set;
  if (figure.devices == 0) return fmt::format("{} {}", figure.series, set);
  return fmt::format("{} x {}", figure.devices, figure.series);
}

MeasuredFigure figure_in(const TableRow& row, const std::filesystem::path& folder,
                         const std::filesystem::path& scenario) {
  const MeasuredRow cells(row);
  MeasuredFigure figure;
  figure.place = row.place;
  const std::string& file = cells.text("scenario");
  figure.scenario = file.empty() ? scenario : folder / file;
  figure.study = cells.text("study");
  if (figure.study.empty()) figure.study = figure.scenario.stem().string();
  figure.series = cells.text("series");
  if (!cells.text("role").empty()) figure.role = cells.text("role");
  if (std::ranges::find(kFigureRoles, figure.role) == kFigureRoles.end()) {
    cells.fail("role", fmt::format("'{}' is not known; write {}", figure.role,
                                   fmt::join(kFigureRoles, ", ")));
  }
  figure.devices = cells.whole("devices");
  figure.settings = settings_of_row(cells);
  figure.number = cells.whole("case");
  figure.node = cells.text("node");
  figure.quantity = cells.text("quantity");
  figure.unit = cells.text("unit");
  figure.value = cells.number("value");
  if (figure.value < 0) cells.fail("value", "is below 0; write the measured value");
  if (!cells.text("forecast").empty()) figure.known = cells.number("forecast");
  figure.note = cells.text("note");
  figure.title = cells.text("figure");
  if (figure.title.empty()) figure.title = figure_title(figure);
  check_quantity(figure, cells);
  if (figure.scenario.empty() && !figure.quantity.empty() && !figure.known) {
    throw InputError(
        fmt::format("{}: the scenario is not known; name it on the command line, or in a column "
                    "scenario",
                    figure.place));
  }
  return figure;
}

/// Checks that a series has one quantity in one unit, at most one base, which is above 0.
void check_series(const std::vector<MeasuredFigure>& figures) {
  std::map<std::pair<std::string, std::string>, std::vector<const MeasuredFigure*>> series;
  for (const MeasuredFigure& each : figures) {
    if (!each.series.empty()) series[{each.study, each.series}].push_back(&each);
    if (each.role != "base") continue;
    if (each.series.empty()) {
      throw InputError(fmt::format("{}: series: is empty; name the series that this is the base of",
                                   each.place));
    }
    if (each.value <= 0)
      throw InputError(
          fmt::format("{}: value: is not above 0; write the measured value", each.place));
  }
  for (const auto& [name, rows] : series) {
    const std::string title = fmt::format("{} of {}", name.second, name.first);
    const MeasuredFigure* base = nullptr;
    for (const MeasuredFigure* row : rows) {
      const MeasuredFigure& first = *rows.front();
      if (row->quantity != first.quantity || row->unit != first.unit) {
        throw InputError(
            fmt::format("{}: quantity: {} has {} in {} in earlier rows; write another series",
                        row->place, title, first.quantity, first.unit));
      }
      if (row->role != "base") continue;
      if (base != nullptr) {
        throw InputError(fmt::format("{}: role: {} has a base already, at {}; keep one", row->place,
                                     title, base->place));
      }
      base = row;
    }
  }
}

}  // namespace

bool MeasuredFigure::is_rate() const {
  return quantity == "throughput" || quantity == "updates_per_s";
}

std::vector<MeasuredFigure> read_figures(const std::filesystem::path& path,
                                         const std::filesystem::path& scenario) {
  std::vector<MeasuredFigure> figures;
  std::vector<std::string> others;
  for (const TableRow& row : read_table(path.string(), kNeededColumns, kOptionalColumns)) {
    MeasuredFigure figure = figure_in(row, path.parent_path(), scenario);
    std::error_code unequal;  // a missing file counts as another one
    if (scenario.empty() || figure.scenario == scenario ||
        std::filesystem::equivalent(figure.scenario, scenario, unequal)) {
      figures.push_back(std::move(figure));
    } else if (std::ranges::find(others, figure.scenario.string()) == others.end()) {
      others.push_back(figure.scenario.string());
    }
  }
  if (figures.empty()) {
    throw InputError(others.empty()
                         ? fmt::format("{}: no figures; write a row for each", path.string())
                         : fmt::format("{}: has no figure of {}; there are figures of {}",
                                       path.string(), scenario.string(), fmt::join(others, ", ")));
  }
  check_series(figures);
  return figures;
}

}  // namespace foretrain
