#include "exec/launch/run.h"

#include "exec/launch/launcher.h"
#include "exec/metrics/endpoint.h"
#include "exec/system/others_use.h"
#include "exec/system/process.h"
#include "exec/transport/pending_handshakes.h"
#include "models/protocol/registry.h"
#include "reports/record/files.h"
#include "reports/record/interruption.h"
#include "scenarios/language/input_error.h"
#include "scenarios/language/reader.h"
#include "scenarios/resolve/faults.h"
#include "scenarios/weights/weights.h"

#include <fmt/format.h>

#include <sys/resource.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace foretrain::exec {
namespace {

// In addition to node connections: the standard three, an event loop's four, a listening socket,
// files of data sets, record, metrics; strangers, who may connect to nodes or to metrics, too.
constexpr std::size_t kBeside = 32 + kMostStrangers + web::kMostClients;

// Maximum number of open descriptors of a process of the training: the launcher is connected to
// every node, a node to its peers.
int descriptors_need(const Prepared& prepared, const RunOptions& options) {
  constexpr std::size_t kOfHost = 2;  // its network and listening socket; or two pipes of its ssh
  const Training& training = *prepared.training;
  const bool many = options.emulate || options.start->through_ssh();
  const std::size_t hosts = many ? prepared.places.size() : 1;  // at most
  std::size_t most = static_cast<std::size_t>(training.nodes()) + kOfHost * hosts;
  for (int node = 0; node < training.nodes(); ++node) {
    const NodeId id{static_cast<std::uint32_t>(node)};
    most = std::max(most, peers_of(training, id).size() + 1);  // and the launcher
  }
  return static_cast<int>(most + kBeside);
}

Record train(const Prepared& prepared, const RunOptions& options, const Meeting& meeting) {
  allow_descriptors(descriptors_need(prepared, options));  // before anything is opened
  std::optional<OthersUse> others;
  if (!options.elsewhere()) others.emplace();
  const Interruption interruption;
  Launcher::Ended ended = Launcher(prepared, options, meeting).run();
  if (others) ended.record.others_used = others->share();
  ended.rows->end(ended.record);
  return std::move(ended.record);
}

}  // namespace

void check_trainable(const Case& scenario_case, bool emulated) {
  const Scenario& scenario = scenario_case.scenario;
  const auto fail = [&](const std::string& key, const std::string& what) {
    fail_at(scenario_case.place_of(key), key, what);
  };
  if (scenario.model.by_shape()) {
    fail(scenario.model.config.empty() ? "model.network" : "model.config",
         "a network known by its shape is forecast, not trained; simulate it");
  }
  if (scenario.model.profiled()) {
    fail("model.profile", "a profile has only times, no layers to train; simulate it");
  }
  if (scenario.training.compression.only_sizes()) {
    fail("training.compression.kind",
         "ratio has only sizes, no values to send; simulate it, or write fp16 or topk");
  }
  if (scenario.training.shard != TrainingSpec{}.shard) {
    fail("training.shard",
         fmt::format("sharded {} can be forecast, but not run; simulate it, or write {}",
                     scenario.training.shard, TrainingSpec{}.shard));
  }
  if (scenario.training.local_reduction) {
    fail("training.local_sum",
         "sums of a host's workers can be forecast, but not run; simulate it, or write off");
  }
  const auto only_simulated = [&](const std::string& key, bool given) {
    if (given) fail(key, fmt::format("only simulate knows it; --set {}=null removes it", key));
  };
  only_simulated("framework", scenario.framework != FrameworkSpec{});
  only_simulated("neighbours", !scenario.colocated_jobs.empty());
  only_simulated("dataset.served_by", !scenario.dataset.input.served_by.empty());
  only_simulated("dataset.read_rate", scenario.dataset.input.read_rate.value > 0);
  only_simulated("dataset.parse", scenario.dataset.input.parse.ns > 0);
  only_simulated("dataset.held_size", scenario.dataset.input.held_size.value > 0);
  for (std::size_t i = 0; i < scenario.cluster.hosts.size(); ++i) {
    only_simulated(fmt::format("cluster.hosts[{}].mtbf", i), scenario.cluster.hosts[i].mtbf.ns > 0);
  }
  for (std::size_t i = 0; i < scenario.faults.size(); ++i) {
    const std::string key = fmt::format("faults[{}].", i);
    const bool cut = !scenario.faults[i].cut.empty();
    if (emulated || (!cut && scenario.faults[i].slow.empty())) continue;
    fail(key + (cut ? "cut" : "slow"),
         "a run cannot change links of real networks; add --emulate (as root), or write stop or "
         "kill");
  }
}

void check_save(const std::filesystem::path& path) {
  if (path.empty()) return;
  check_weights_path(path);
  const std::filesystem::path folder = path.parent_path();
  prepare_folder(folder.empty() ? "." : folder);
}

void allow_descriptors(int need) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;  // opening too many will report it
  const rlim_t soft = limit.rlim_cur;
  limit.rlim_cur = limit.rlim_max;
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0) limit.rlim_cur = soft;
  if (limit.rlim_cur >= static_cast<rlim_t>(need)) return;
  throw InputError(fmt::format(
      "a process of this training opens up to {} files and connections, but only {} are allowed; "
      "raise the hard limit (ulimit -Hn), or use fewer workers and servers",
      need, limit.rlim_cur));
}

Record run(const Case& scenario_case, const RunOptions& options) {
  check_trainable(scenario_case, options.emulate);
  const Traces traces(scenario_case);  // reports errors in them before any node starts
  options.start->check(scenario_case, options);
  const Meeting meeting = options.start->meet(options.join_timeout, options.port);
  return train(prepare(scenario_case, Need::shape), options, meeting);
}

}  // namespace foretrain::exec
