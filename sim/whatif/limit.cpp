#include "sim/whatif/limit.h"

#include "sim/whatif/trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

namespace foretrain::sim {
namespace {

double servers_nics(const CriticalPath& path) {
  return path.share(Resource::server_nic_in) + path.share(Resource::server_nic_out);
}

}  // namespace

std::vector<PathShare> path_shares(const CriticalPath& path) {
  std::vector<PathShare> shares;
  for (std::size_t i = 0; i < kResources; ++i) {
    const auto resource = static_cast<Resource>(i);
    if (path.time(resource).ns == 0) continue;
    PathShare share{std::string(label_of(resource)), path.time(resource).seconds(),
                    path.share(resource)};
    const auto node = path.most_of(resource);
    if (resource == Resource::straggling && node) share.whose = fmt::format("worker{}", *node);
    shares.push_back(std::move(share));
  }
  std::ranges::stable_sort(shares, std::ranges::greater{}, &PathShare::time_s);
  return shares;
}

Limit limit_of(const CriticalPath& path) {
  const std::vector<PathShare> shares = path_shares(path);
  if (shares.empty()) return {};
  const PathShare& most = shares.front();
  const double nic = servers_nics(path);
  const bool both =
      nic > path.share(Resource::server_nic_in) && nic > path.share(Resource::server_nic_out);
  if (both && nic >= most.share) return {"server NIC", nic};
  return {most.resource, most.share, most.whose};
}

Limit limit_of(const Prepared& prepared, const MachineLookup& machines, DataSets& data_sets) {
  SimulateOptions options;
  options.machines = machines;
  const Trials trials(prepared, options, data_sets);
  return limit_of(trials.path_of(prepared.scenario_case, prepared.training->steps));
}

Forecast forecast_of(const Prepared& prepared, SimulateOptions options) {
  History history;
  options.variant = {{}, &history};
  Forecast forecast;
  forecast.record = simulate(prepared, options);
  if (forecast.record.outcome != Outcome::done) return forecast;
  const CriticalPath path = critical_path(history, Instant{} + forecast.record.time);
  forecast.path_s = path.length.seconds();
  forecast.path_whole = path.whole;
  forecast.queued = path.length.ns > 0 ? path.queued.seconds() / path.length.seconds() : 0;
  forecast.limit = limit_of(path);
  forecast.path = path_shares(path);
  return forecast;
}

double network_share(const CriticalPath& path) {
  return servers_nics(path) + path.share(Resource::worker_nic);
}

}  // namespace foretrain::sim
