#include "sim/history/resource.h"

namespace foretrain::sim {

std::string_view label_of(Resource resource) {
  switch (resource) {
    case Resource::worker_cpu:
      return "worker CPU";
    case Resource::device:
      return "device";
    case Resource::server_cpu:
      return "server CPU";
    case Resource::apply:
      return "apply";
    case Resource::server_nic_in:
      return "server NIC in";
    case Resource::server_nic_out:
      return "server NIC out";
    case Resource::worker_nic:
      return "worker NIC";
    case Resource::switches:
      return "switches";
    case Resource::connection:
      return "connection";
    case Resource::device_link:
      return "device link";
    case Resource::latency:
      return "latency";
    case Resource::straggling:
      return "straggling";
    case Resource::evaluation:
      return "evaluation";
    case Resource::input:
      return "input";
    case Resource::framework:
      return "framework";
    case Resource::checkpoints:
      return "checkpoints";
    case Resource::colocated_jobs:
      return "neighbours";
    case Resource::waiting:
      break;
  }
  return "waiting";
}

}  // namespace foretrain::sim
