#include "reports/studies/published/reported.h"

#include "reports/record/table_file.h"
#include "reports/studies/published/quantity.h"
#include "scenarios/input_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

namespace foretrain {
namespace {

constexpr std::array<std::string_view, 12> kReported{"study",   "table",      "model", "mode",
                                                     "workers", "batch_size", "node",  "interface",
                                                     "metric",  "statistic",  "value", "unit"};
constexpr std::array<std::string_view, 12> kReadings{
    "study",     "table",  "mode",     "workers",  "batch_size", "node",
    "interface", "metric", "scenario", "quantity", "role",       "note"};
constexpr std::size_t kPatterns = 8;  // of the columns of a reading the first

constexpr std::array<std::pair<Role, std::string_view>, 7> kRoles{{
    {Role::fitted, "fitted"},
    {Role::forecast, "forecast"},
    {Role::given, "given"},
    {Role::unexplained, "unexplained"},
    {Role::artefact, "artefact"},
    {Role::impossible, "impossible"},
    {Role::unknown, "unknown"},
}};

std::string text_in(const std::string& cell) { return cell == "-" ? std::string() : cell; }

std::string cell_of(std::optional<int> number) {
  return number ? fmt::format("{}", *number) : std::string("-");
}

std::string or_dash(const std::string& text) { return text.empty() ? "-" : text; }

bool fits(const std::vector<std::string>& pattern, const std::vector<std::string>& cells) {
  return std::ranges::equal(pattern, cells, [](const std::string& wanted, const std::string& cell) {
    return wanted == "*" || wanted == cell;
  });
}

Role role_of(const std::string& name, const std::string& place) {
  const auto* found = std::ranges::find(kRoles, name, &std::pair<Role, std::string_view>::second);
  if (found != kRoles.end()) return found->first;
  throw InputError(fmt::format("{}: no role is called '{}'", place, name));
}

}  // namespace

std::string name_of(Role role) {
  return std::string(
      std::ranges::find(kRoles, role, &std::pair<Role, std::string_view>::first)->second);
}

std::string ReportedFigure::title() const {
  std::string text = metric;
  if (statistic == "low" || statistic == "high") text += " (" + statistic + ")";
  text += fmt::format(": {} {}", table, mode);
  if (workers && batch_size) {
    text += fmt::format(" {}x{}", *workers, *batch_size);
  } else if (workers) {
    text += fmt::format(" {}", *workers);
  } else if (batch_size) {
    text += fmt::format(" x{}", *batch_size);
  }
  if (!node.empty()) text += node == "server" ? " server" : " node" + node;
  return interface.empty() ? text : text + " " + interface;
}

std::vector<ReportedFigure> read_reported(const std::string& path) {
  std::vector<ReportedFigure> figures;
  for (const TableRow& row : read_table(path, kReported)) {
    const std::vector<std::string>& c = row.cells;
    figures.push_back({row.place, c[0], c[1], c[2], c[3], whole_in(c[4], row.place),
                       whole_in(c[5], row.place), text_in(c[6]), text_in(c[7]), c[8], text_in(c[9]),
                       number_in(c[10], row.place), text_in(c[11])});
  }
  return figures;
}

std::vector<FigureReading> read_readings(const std::string& path) {
  std::vector<FigureReading> readings;
  for (const TableRow& row : read_table(path, kReadings)) {
    const std::vector<std::string>& c = row.cells;
    FigureReading reading{{c.begin(), c.begin() + kPatterns},
                          text_in(c[8]),
                          text_in(c[9]),
                          role_of(c[10], row.place),
                          text_in(c[11])};
    if (!reading.quantity.empty() && !is_quantity(reading.quantity)) {
      throw InputError(fmt::format("{}: no quantity is called '{}'", row.place, reading.quantity));
    }
    readings.push_back(std::move(reading));
  }
  return readings;
}

const FigureReading& reading_of(const ReportedFigure& figure,
                                const std::vector<FigureReading>& readings) {
  const std::vector<std::string> cells{figure.study,
                                       figure.table,
                                       figure.mode,
                                       cell_of(figure.workers),
                                       cell_of(figure.batch_size),
                                       or_dash(figure.node),
                                       or_dash(figure.interface),
                                       figure.metric};
  const auto found = std::ranges::find_if(
      readings, [&](const FigureReading& reading) { return fits(reading.pattern, cells); });
  if (found != readings.end()) return *found;
  throw InputError(
      fmt::format("{}: {}: no row of readings.csv fits; write one", figure.place, figure.title()));
}

}  // namespace foretrain
