#include "scenarios/resolve/colocated_jobs.h"

#include "models/base/random.h"
#include "scenarios/language/reader.h"
#include "scenarios/language/text_guard.h"
#include "scenarios/resolve/gradient_counts.h"
#include "scenarios/resolve/placement.h"
#include "scenarios/resolve/read.h"

#include <fmt/format.h>

#include <set>

namespace foretrain {
namespace {

/// Rejects features that only the main training may have.
void check_alone(const Case& c, const Scenario& scenario, const std::string& key,
                 const std::string& file) {
  const auto fail = [&](const std::string& what) { fail_at(c.place_of(key), key, what); };
  if (!scenario.colocated_jobs.empty()) {
    fail(fmt::format("{} lists neighbours, too; move them into this list", file));
  }
  if (scenario.training.until.wanted()) {
    fail(fmt::format(
        "{} trains until a target, but neighbours have no gradients; give its length as steps",
        file));
  }
  std::set<std::string> hosts{""};
  for (const HostSpec& host : c.scenario.cluster.hosts) {
    for (int n = 0; n < host.count; ++n) hosts.insert(host_name(host, n));
  }
  const auto check_here = [&](const char* at, const std::string& host) {
    if (!hosts.contains(host))
      fail(fmt::format("{}: {}: there is no host {} here", file, at, host));
  };
  check_here("dataset.served_by", scenario.dataset.input.served_by);
  check_here("framework.session_host", scenario.framework.session_host);
}

Case read_colocated_job(const Case& c, std::size_t index) {
  const ColocatedJob& spec = c.scenario.colocated_jobs[index];
  const std::string key = fmt::format("neighbours[{}]", index);
  const auto fail = [&](const std::string& at, const std::string& what) {
    fail_at(c.place_of(at), at, what);
  };
  std::vector<Case> cases;
  try {
    cases = parse_scenario(read_text(spec.scenario), spec.scenario);
  } catch (const InputError& error) {
    fail(key + ".scenario", error.what());
  }
  if (cases.size() != 1) {
    fail(key + ".scenario", fmt::format("{} has a sweep of {} cases; name a file with one",
                                        spec.scenario, cases.size()));
  }
  Case result = std::move(cases.front());
  check_alone(c, result.scenario, key + ".scenario", spec.scenario);
  // Otherwise two trainings with equal seeds would have the same jitter.
  const std::string stream = fmt::format("neighbour{}.{}", index, result.scenario.seed);
  result.scenario.seed = Stream(c.scenario.seed, stream).bits();
  result.scenario.cluster = c.scenario.cluster;
  result.scenario.cluster.placement = spec.placement;
  result.scenario.numerics = false;
  const auto check_count = [&](const std::string& kind, std::size_t there, int needed) {
    if (there == static_cast<std::size_t>(needed)) return;
    fail(fmt::format("{}.{}", key, kind),
         fmt::format("names {} hosts, but {} of {} are needed; write one for each", there, needed,
                     spec.scenario));
  };
  const Placement& placement = spec.placement;
  if (!placement.workers.empty() || !placement.servers.empty()) {
    const NodeCounts counts = node_counts(result.scenario);
    check_count("workers", placement.workers.size(), counts.workers);
    check_count("servers", placement.servers.size(), counts.servers);
  }
  if (const auto against = against_local_reduction(result.scenario)) {
    fail(key + ".scenario", fmt::format("{}: {}: {}", spec.scenario, against->key, against->what));
  }
  return result;
}

}  // namespace

std::vector<Case> colocated_cases(const Case& scenario_case) {
  std::vector<Case> cases;
  const auto& colocated_jobs = scenario_case.scenario.colocated_jobs;
  cases.reserve(colocated_jobs.size());
  for (std::size_t i = 0; i < colocated_jobs.size(); ++i) {
    cases.push_back(read_colocated_job(scenario_case, i));
  }
  return cases;
}

}  // namespace foretrain
