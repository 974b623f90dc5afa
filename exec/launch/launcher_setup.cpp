// What the launcher tells a node that has joined.
#include "exec/launch/launcher.h"
#include "exec/system/process.h"
#include "scenarios/read.h"

#include <nlohmann/json.hpp>

#include <filesystem>

namespace foretrain::exec {

nlohmann::json Launcher::setup_of(std::size_t id) const {
  // Where there are servers, nobody else listens.
  const int listener = static_cast<int>(id) - (training_->servers > 0 ? training_->workers : 0);
  const int port = options_.port > 0 && listener >= 0 ? options_.port + 1 + listener : 0;
  nlohmann::json setup{{"scenario", to_yaml(record_.scenario_case.scenario)},
                       {"places", record_.scenario_case.places},
                       {"dataset", to_json(dataset_)},
                       {"port", port},
                       {"interface", hosts_.interface()},
                       {"job_times", options_.job_times},
                       {"save", options_.save.empty() ? "" : absolute(options_.save).string()},
                       {"checkpoint", to_json(checkpoints_->part_of(NodeId(members_[id].rank)))},
                       {"max_delay_ns", options_.max_delay.ns}};
  if (options_.emulate) setup["address"] = hosts_.address(members_[id].host);
  return setup;
}

}  // namespace foretrain::exec
