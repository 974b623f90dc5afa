#include "scenarios/resolve/relative_paths.h"

#include "scenarios/library/library.h"

#include <string>
#include <system_error>

namespace foretrain {
namespace {

namespace fs = std::filesystem;

/// Calls `act` for each path that a scenario may have.
template <class Act>
void each_path(Scenario& scenario, const Act& act) {
  act(scenario.model.profile.path);
  act(scenario.dataset.path);
  act(scenario.training.init.from);
  for (HostSpec& host : scenario.cluster.hosts) act(host.machine);
  for (StragglerSpec& straggler : scenario.stragglers) act(straggler.trace);
  for (ColocatedJob& colocated_job : scenario.colocated_jobs) act(colocated_job.scenario);
}

bool is_relative(const std::string& path) { return !path.empty() && fs::path(path).is_relative(); }

}  // namespace

void resolve_relative_paths(Scenario& scenario, const fs::path& folder) {
  std::string& profile = scenario.model.profile.path;
  if (profile.starts_with("scenarios/")) profile = in_library(profile);
  if (folder.empty()) return;
  each_path(scenario, [&](std::string& path) {
    if (!is_relative(path)) return;
    const fs::path beside = folder / path;
    std::error_code ignored;
    if (fs::exists(beside, ignored)) path = beside.lexically_normal().string();
  });
}

Scenario paths_relative_to(const fs::path& folder, Scenario scenario) {
  each_path(scenario, [&](std::string& path) {
    std::error_code error;
    if (!is_relative(path) || !fs::exists(path, error)) return;
    const fs::path from = fs::relative(path, folder, error);
    if (!error && !from.empty()) path = from.string();
  });
  return scenario;
}

}  // namespace foretrain
