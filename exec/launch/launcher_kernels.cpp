// How the launcher has all nodes compute with the same kernels.
#include "exec/launch/kernel_agreement.h"
#include "exec/launch/kernel_program.h"
#include "exec/launch/launcher.h"
#include "exec/launch/task.h"
#include "models/networks/registry.h"
#include "reports/record/tell_people.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace foretrain::exec {

// What people ask for; else what the checkpoint was made with, whose bits go on then.
std::string Launcher::preferred_kernels() const {
  if (const auto asked = process_environment(kKernelsVariable)) return *asked;
  return beginning_.from != nullptr ? beginning_.from->manifest.kernel_set : std::string();
}

void Launcher::on_listening(std::size_t id, const nlohmann::json& json) {
  Member& member = members_[id];
  member.kernels = json.at("kernels");
  member.other_kernels = json.at("other_kernels").get<std::vector<std::string>>();
  member.place = json;
  if (options_.elsewhere()) record_.nodes[id].host = json.at("host");
  handle(supervision::Told{NodeId(member.rank), supervision::Told::What::listening});
}

bool Launcher::agree() {
  std::vector<NodeKernels> nodes;
  for (const Member& each : members_) {
    nodes.push_back({each.described(), each.kernels, each.other_kernels});
  }
  KernelAgreement agreed = kernels_before_.empty() ? agree_on_kernels(nodes, preferred_kernels())
                                                   : keep_kernels(nodes, kernels_before_);
  if (!agreed.wrong.empty()) {
    handle(supervision::Failed{agreed.wrong});
    return false;
  }
  kernels_ = std::move(agreed.kernels);
  std::string others;
  for (Member& each : members_) {
    if (each.kernels == kernels_) continue;
    others += (others.empty() ? "" : ", ") + each.role;
    have_begin_again(each);
  }
  if (!others.empty()) {
    tell_people(
        fmt::format("all nodes compute with {} kernels, which each has: {} began with "
                    "others, and began again\n",
                    kernels_, others));
    return false;
  }
  tell_change_of_kernels();
  // Of a sweep's next training they begin with these at once.
  if (!options_.hosts && kernels_ != kernel_set()) {
    setenv(kKernelsVariable, kernels_.c_str(), 1);
  }
  return true;
}

void Launcher::have_begin_again(Member& member) {
  if (!member.connection) return;  // that it left is looked at already
  send_text(*member.connection, ControlKind::kernels, NodeId(0), kernels_);
  handle(supervision::Told{NodeId(member.rank), supervision::Told::What::kernels});
}

// One that comes back to a training.
bool Launcher::has_other_kernels(Member& member) {
  if (member.kernels == kernels_) return false;
  const auto& others = member.other_kernels;
  if (std::ranges::find(others, kernels_) != others.end()) {
    have_begin_again(member);
    return true;
  }
  handle(supervision::Told{
      NodeId(member.rank), supervision::Told::What::trouble,
      fmt::format("it computes with {} kernels, the others with {}", member.kernels, kernels_)});
  return true;
}

void Launcher::tell_change_of_kernels() const {
  if (beginning_.from == nullptr) return;
  const std::string& before = beginning_.from->manifest.kernel_set;
  if (before == kernels_) return;
  tell_people(fmt::format(
      "its numbers so far are of {} kernels, from here on of {}: the weights will not be the bits "
      "of a training by one of them\n",
      before, kernels_));
}

}  // namespace foretrain::exec
