#include "models/protocol/server_cut.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

namespace foretrain {
namespace {

// Encoded even without numerics, because the receiver needs the clocks.
Payload encoded(const std::vector<std::int64_t>& clocks) {
  Payload payload = Payload::allocate({static_cast<std::int64_t>(8 * clocks.size())});
  const auto bytes = payload.writable_bytes();
  std::memcpy(bytes.data(), clocks.data(), bytes.size());
  return payload;
}

}  // namespace

ServerCut::ServerCut(std::shared_ptr<const Training> training, NodeId id)
    : training_(std::move(training)), id_(id), cuts_(training_->checkpoint) {}

void ServerCut::wait_for_next(Effects& effects) const {
  if (decides() && cuts_.wants_timer()) effects.emplace_back(ArmTimer{kTimer, cuts_.time()});
}

void ServerCut::announce(std::int64_t cut, std::vector<std::int64_t> clocks, Effects& effects) {
  const Payload payload = encoded(clocks);
  wanted_ = Wanted{cut, std::move(clocks)};
  missing_ = training_->servers;
  cuts_.take(cut);
  for (int node = 0; node < training_->nodes(); ++node) {
    const auto to = NodeId(node);
    if (to == id_) continue;
    Message message{.kind = MessageKind::cut, .version = {cut}};
    if (!training_->is_worker(to)) message.payload = payload;
    effects.emplace_back(Send{to, std::move(message)});
  }
}

bool ServerCut::hear(NodeId from, const Message& message) {
  const auto bytes = message.payload.bytes();
  if (from != training_->server(0) || decides() || wanted_ ||
      bytes.size() != 8 * static_cast<std::size_t>(training_->workers)) {
    return false;
  }
  wanted_ = Wanted{message.version.value, std::vector<std::int64_t>(bytes.size() / 8)};
  std::memcpy(wanted_->clocks.data(), bytes.data(), bytes.size());
  return true;
}

void ServerCut::keep(Bytes size, std::function<std::string()> state, Effects& effects) {
  wanted_->keeping = true;
  under_way_ = true;
  SaveState keep{kJob, wanted_->cut, {}, 0, size, {}};
  keep.state = std::move(state);
  effects.emplace_back(std::move(keep));
}

bool ServerCut::postpones(Input& input) {
  const auto* computed = std::get_if<Computed>(&input);
  if (!under_way_ || (computed != nullptr && computed->job == kJob)) return false;
  postponed_.push_back(std::move(input));
  return true;
}

void ServerCut::resume(const std::function<void(Input)>& handle, Effects& effects) {
  under_way_ = false;
  std::vector<Input> inputs = std::exchange(postponed_, {});
  std::map<NodeId, int> losses;  // losses among the waiting inputs, by peer
  for (const Input& input : inputs) {
    if (const auto* lost = std::get_if<PeerLost>(&input)) ++losses[lost->peer];
  }
  for (Input& input : inputs) {
    if (const auto* lost = std::get_if<PeerLost>(&input)) --losses[lost->peer];
    const auto before = std::ssize(effects);
    handle(std::move(input));
    const auto is_in_vain = [&](const Effect& effect) {
      const auto* send = std::get_if<Send>(&effect);
      if (send == nullptr) return false;
      const auto waits = losses.find(send->to);
      return waits != losses.end() && waits->second > 0;
    };
    effects.erase(std::remove_if(effects.begin() + before, effects.end(), is_in_vain),
                  effects.end());
  }
}

bool ServerCut::kept(Effects& effects) {
  if (under_way_ || !wanted_ || !wanted_->keeping) return false;  // given up
  return told(effects);
}

bool ServerCut::pass(Effects& effects) {
  wanted_->keeping = true;
  return told(effects);
}

bool ServerCut::told(Effects& effects) {
  if (decides()) return all_kept();
  Message message{.kind = MessageKind::kept, .version = {wanted_->cut}};
  effects.emplace_back(Send{training_->server(0), std::move(message)});
  wanted_.reset();
  return false;
}

bool ServerCut::hear_kept(const Message& message) {
  return wanted_ && message.version.value == wanted_->cut && all_kept();
}

bool ServerCut::all_kept() {
  if (--missing_ > 0) return false;
  wanted_.reset();
  return true;
}

void ServerCut::give_up() { wanted_.reset(); }

}  // namespace foretrain
