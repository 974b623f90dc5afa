// How the supervisor ends an attempt.
#include "models/supervision/supervisor.h"

#include <algorithm>
#include <utility>

namespace foretrain::supervision {
namespace {
using namespace literals;

constexpr Duration kFarewell = 2_s;       // for a last flush of rows
constexpr Duration kMostFarewell = 30_s;  // a gradient under way is not interrupted

}  // namespace

void Supervisor::fail(const std::string& why, bool for_good) {
  if (stage_ == Stage::ending) return;
  const bool may = !for_good && restarts_ > 0 && (stage_ == Stage::training || down_since_);
  if (may) --restarts_;
  end({.outcome = EndAttempt::Outcome::failed, .failure = why, .again = may});
}

void Supervisor::on(const Failed& input) {
  if (stage_ != Stage::ending) return fail(input.why, input.for_good);
  if (!input.for_good || !std::exchange(ended_.again, false)) return;
  emit(EndAttempt{.outcome = EndAttempt::Outcome::failed, .failure = input.why});
  maybe_over();
}

void Supervisor::on(const Interrupted& input) {
  const EndAttempt interrupted{.outcome = EndAttempt::Outcome::interrupted, .failure = input.why};
  if (stage_ != Stage::ending) return end(interrupted);
  if (!std::exchange(ended_.again, false)) return;
  emit(interrupted);
  emit(Stop{});
  stage_ = Stage::over;
}

void Supervisor::maybe_done() {
  const auto through = [](const Node& each) {
    return in<Finished>(each.life) || in<Lost>(each.life) || in<Returning>(each.life);
  };
  if (all(through)) end({});
}

void Supervisor::end(EndAttempt how) {
  const bool failed = how.outcome == EndAttempt::Outcome::failed;
  if (failed && stage_ == Stage::training) down_since_ = now_;
  stage_ = Stage::ending;
  ended_ = how;
  suspicion_.reset();
  emit(std::move(how));
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    // A process that prepares its return has nothing to report.
    if (is<Returning>(NodeId{i})) kill(NodeId{i});
    if (ended_.again) release(nodes_[i]);
  }
  const Duration limit = ended_.waits ? rules_.training->return_limit : kFarewell;
  arm({Timer::Kind::farewell}, now_ + std::clamp(limit, kFarewell, kMostFarewell));
  maybe_over();
}

void Supervisor::release(Node& node) {
  if (in<Absent>(node.life)) return;
  const auto index = static_cast<std::uint32_t>(&node - nodes_.data());
  const bool was_lost = is_lost(NodeId{index});
  if (was_lost || (!node.runs && !node.connected)) {
    node.life = Absent{now_};
  } else if (node.connected && !leaves_for_kernels(node.life)) {
    node.life = Leaving{};
  } else {
    node.life = Joining{.again = leaves_for_kernels(node.life)};
  }
}

// Messages of the processes are read to their end, until the connections are closed.
void Supervisor::maybe_over() {
  if (ended_.again) {
    if (!all([](const Node& each) {
          return !in<Leaving>(each.life) && !(in<Absent>(each.life) && each.runs);
        })) {
      return;
    }
    stage_ = Stage::over;
    return emit(BeginAttempt{});
  }
  if (!all([](const Node& each) { return !each.runs && !each.connected; })) return;
  stage_ = Stage::over;
  emit(Stop{});
}

void Supervisor::farewell() {
  if (stage_ != Stage::ending) return;
  stage_ = Stage::over;
  if (!ended_.again) return emit(Stop{});
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    if (!in<Leaving>(nodes_[i].life)) continue;
    emit(Kill{NodeId{i}});
    nodes_[i].connected = false;
    nodes_[i].life = Absent{now_};
  }
  emit(BeginAttempt{});
}

}  // namespace foretrain::supervision
