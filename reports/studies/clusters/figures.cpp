#include "reports/studies/clusters/figures.h"

#include "reports/record/table_file.h"
#include "reports/studies/published/quantity.h"
#include "scenarios/input_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <utility>

namespace foretrain {
namespace {

constexpr std::array<std::string_view, 9> kFigureColumns{
    "study", "series", "role", "devices", "set", "quantity", "value", "unit", "source"};
constexpr std::array<std::string_view, 4> kClusterQuantities{"throughput", "step_time",
                                                             "updates_per_s", "collective_time"};
constexpr std::array<std::pair<ClusterRole, std::string_view>, 3> kClusterRoles{{
    {ClusterRole::base, "base"},
    {ClusterRole::fitted, "fitted"},
    {ClusterRole::forecast, "forecast"},
}};

/// A row with the columns that a message may have to name.
class MeasuredRow {
 public:
  explicit MeasuredRow(const TableRow& row) : row_(row) {}

  [[nodiscard]] std::string place(std::size_t column) const {
    return fmt::format("{}: {}", row_.place, kFigureColumns[column]);
  }
  [[nodiscard]] const std::string& text(std::size_t column) const {
    if (!row_.cells[column].empty()) return row_.cells[column];
    throw InputError(fmt::format("{} is empty; write it", place(column)));
  }

  [[nodiscard]] ClusterRole role(std::size_t column) const {
    const auto* found = std::ranges::find(kClusterRoles, text(column),
                                          &std::pair<ClusterRole, std::string_view>::second);
    if (found != kClusterRoles.end()) return found->first;
    throw InputError(fmt::format("{}: '{}' is none; write base, fitted or forecast", place(column),
                                 text(column)));
  }

  [[nodiscard]] int devices(std::size_t column) const {
    const std::optional<int> number = whole_in(row_.cells[column], place(column));
    if (number && *number > 0) return *number;
    throw InputError(fmt::format("{}: write how many worked, 1 or more", place(column)));
  }

  [[nodiscard]] std::vector<std::string> settings(std::size_t column) const {
    std::vector<std::string> settings;
    if (text(column) == "-") return settings;
    std::string_view rest = text(column);
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(';'), rest.size());
      const std::string setting(rest.substr(0, end));
      if (setting.find('=') == std::string::npos) {
        throw InputError(
            fmt::format("{}: '{}' sets nothing; write KEY=VALUE", place(column), setting));
      }
      settings.push_back(setting);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return settings;
  }

  [[nodiscard]] const std::string& quantity(std::size_t column) const {
    if (std::ranges::find(kClusterQuantities, text(column)) != kClusterQuantities.end()) {
      return text(column);
    }
    throw InputError(fmt::format("{}: '{}' is none; write {}", place(column), text(column),
                                 fmt::join(kClusterQuantities, ", ")));
  }

  [[nodiscard]] double value(std::size_t column) const {
    const double value = number_in(row_.cells[column], place(column));
    if (value > 0) return value;
    throw InputError(fmt::format("{}: {} is not above 0", place(column), row_.cells[column]));
  }

  [[nodiscard]] const std::string& unit(std::size_t column) const {
    try {
      in_unit(1, text(column));
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: {}", place(column), error.what()));
    }
    return text(column);
  }

 private:
  const TableRow& row_;
};

ClusterFigure figure_of(const TableRow& row) {
  const MeasuredRow r(row);
  return {row.place,     r.text(0),     r.text(1),  r.role(2), r.devices(3),
          r.settings(4), r.quantity(5), r.value(6), r.unit(7), r.text(8)};
}

/// One base a series, one quantity, one unit.
void check_series(const std::vector<ClusterFigure>& figures) {
  std::map<std::pair<std::string, std::string>, std::vector<const ClusterFigure*>> series;
  for (const ClusterFigure& each : figures) series[{each.study, each.series}].push_back(&each);
  for (const auto& [name, rows] : series) {
    const std::string title = fmt::format("{} of {}", name.second, name.first);
    const ClusterFigure* base = nullptr;
    for (const ClusterFigure* row : rows) {
      const ClusterFigure& first = *rows.front();
      if (row->quantity != first.quantity || row->unit != first.unit) {
        throw InputError(fmt::format("{}: quantity: {} has {} in {} before; write another series",
                                     row->place, title, first.quantity, first.unit));
      }
      if (row->role != ClusterRole::base) continue;
      if (base != nullptr) {
        throw InputError(
            fmt::format("{}: role: {} has a base already, at {}", row->place, title, base->place));
      }
      base = row;
    }
    if (base == nullptr) {
      throw InputError(fmt::format("{}: role: {} has no base; write which row it is",
                                   rows.front()->place, title));
    }
  }
}

}  // namespace

std::string_view name_of(ClusterRole role) {
  return std::ranges::find(kClusterRoles, role, &std::pair<ClusterRole, std::string_view>::first)
      ->second;
}

std::vector<ClusterFigure> read_cluster_figures(const std::string& path) {
  std::vector<ClusterFigure> figures;
  for (const TableRow& row : read_table(path, kFigureColumns)) figures.push_back(figure_of(row));
  check_series(figures);
  return figures;
}

std::vector<std::string> studies_of(const std::vector<ClusterFigure>& figures) {
  std::vector<std::string> studies;
  for (const ClusterFigure& each : figures) {
    if (std::ranges::find(studies, each.study) == studies.end()) studies.push_back(each.study);
  }
  return studies;
}

}  // namespace foretrain
