#include "scenarios/beside.h"

#include "scenarios/library.h"

#include <string>
#include <system_error>

namespace foretrain {

void look_beside(Scenario& scenario, const std::filesystem::path& folder) {
  std::string& profile = scenario.model.profile;
  if (profile.starts_with("scenarios/")) profile = in_library(profile);
  if (folder.empty()) return;
  const auto complete = [&](std::string& path) {
    if (path.empty() || std::filesystem::path(path).is_absolute()) return;
    const std::filesystem::path beside = folder / path;
    std::error_code ignored;
    if (std::filesystem::exists(beside, ignored)) path = beside.lexically_normal().string();
  };
  complete(profile);
  complete(scenario.dataset.path);
  complete(scenario.training.init.from);
  for (HostSpec& host : scenario.cluster.hosts) complete(host.machine);
  for (StragglerSpec& straggler : scenario.stragglers) complete(straggler.trace);
  for (NeighbourSpec& neighbour : scenario.neighbours) complete(neighbour.scenario);
}

}  // namespace foretrain
