// Changes of a network that is known by its shape: recomputation, precision.
#include "sim/whatif/intervention.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain::sim {
namespace {

// One level less, or more, of recomputation.
std::optional<std::string> recompute_by(Scenario& scenario, int change) {
  constexpr std::array<std::string_view, 3> kLevels{"none", "selective", "full"};
  if (!scenario.model.by_shape()) return std::nullopt;
  std::string& level = scenario.training.recompute;
  const auto now = std::ranges::find(kLevels, level) - kLevels.begin();
  if (now + change < 0 || now + change >= std::ssize(kLevels)) return std::nullopt;
  level = kLevels[static_cast<std::size_t>(now + change)];
  scenario.model.profile_network.clear();  // measured rows are of what was
  return "";
}

std::optional<std::string> recompute_less(Scenario& scenario) { return recompute_by(scenario, -1); }
std::optional<std::string> recompute_more(Scenario& scenario) { return recompute_by(scenario, 1); }

std::optional<std::string> in_fp8(Scenario& scenario) {
  if (!scenario.model.by_shape() || scenario.model.precision == "fp8") return std::nullopt;
  for (const HostSpec& host : scenario.cluster.hosts) {
    if (host.device.precision("fp8") == nullptr) return std::nullopt;
  }
  scenario.model.precision = "fp8";
  scenario.model.profile_network.clear();
  return "";
}

}  // namespace

void add_changes_of_shape(std::vector<ScenarioChange>& changes) {
  using Kind = Change::Kind;
  const auto add = [&](const char* name, std::string_view what, auto apply) {
    changes.push_back({name, what, Kind::training, apply, {}, true});
  };
  add("recompute less", "more activations kept, fewer computed again", recompute_less);
  add("recompute more", "fewer activations kept, more computed again", recompute_more);
  add("fp8", "products in 8 bits, on devices with such arithmetic", in_fp8);
}

}  // namespace foretrain::sim
