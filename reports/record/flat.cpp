#include "reports/record/flat.h"

#include "reports/record/summary.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>

namespace foretrain {
namespace {

void add_figures(const nlohmann::ordered_json& json, const std::string& before,
                 FlatFigures& figures) {
  for (const auto& [key, value] : json.items()) {
    if (value.is_number()) figures.emplace_back(before + key, value.get<double>());
    if (value.is_null()) figures.emplace_back(before + key, std::nullopt);
    if (value.is_object() && key != "settings") add_figures(value, before + key + ".", figures);
  }
}

}  // namespace

FlatFigures flat_figures(const Record& record) {
  FlatFigures figures;
  add_figures(to_json(record), "", figures);
  std::optional<double> memory;  // of the node with most
  for (const NodeTotals& node : record.nodes) memory = std::max(memory, resident_bytes(node));
  figures.emplace_back("rss_bytes_most", memory);
  return figures;
}

}  // namespace foretrain
