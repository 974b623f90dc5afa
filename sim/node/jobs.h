// The jobs of a node, from when they are asked for until they are done.
#pragma once

#include "models/cost/job_placement.h"
#include "sim/node/job_efforts.h"
#include "sim/node/loop.h"
#include "sim/node/polling.h"
#include "sim/node/process.h"
#include "sim/world/work_pool.h"

#include <cstdint>
#include <vector>

namespace foretrain::sim {

/// Carries out what a node asks for:
///
///     asked for -> its batch is here -> on the loop, or on compute threads
///               -> (has a given time: sleeps what is left of it) -> the loop is told -> its work
///               -> the program is told
///
/// 1. A gradient begins when its batch is here; its other stages, asked for meanwhile, after it.
/// 2. `models/cost/job_placement.h` says where it runs; sums and updates beside the gradients
/// of
///    a device run on the loop. Its effort was measured with as many threads: each of them is busy
///    until the job is done.
/// 3. Its work takes place in zero time, at its end; on another core it may have begun before.
class Jobs : public Actor {
 public:
  /// The others, but the world, are of the same node; all outlive this.
  Jobs(World& world, Process& process, Polling& polling, Loop& loop, JobEfforts efforts);

  void ask_for(Job&& job);
  /// The node handled one.
  void message() { efforts_.message(); }
  /// Its process is dead: none of its work begins, or goes on.
  void drop() { work_.drop(); }
  void wake(Instant now, std::uint64_t token) override;

 private:
  /// What an event is about; its token is that with the slot of the job.
  enum class Stage : std::uint8_t { fed, computed, done };
  static constexpr int kStageBits = 2;
  struct UnderWay {
    Job job;
    JobPlace place = JobPlace::loop;
    int parts = 1;          // that are still computed
    Instant not_before;     // it ends then, should it be computed earlier
    Duration straggling{};  // of that time
    ActivityId computed = 0;
    Instant rests{};  // since then it waits for that
  };
  /// The stages of a gradient whose batch is not here.
  struct Unfed {
    std::vector<Job> stages;
    Instant since;
    ActivityId cause = 0;
  };

  [[nodiscard]] Callback at_stage(Stage stage, std::size_t slot) {
    return {this, (std::uint64_t{slot} << kStageBits) | static_cast<std::uint64_t>(stage)};
  }
  void fed(Instant now);
  void begin(Job&& job);
  void computed(Instant now, std::size_t slot);
  void note_rest(Instant now, const UnderWay& under_way) const;
  void finish(Instant now, std::size_t slot);

  Engine& engine_;
  Process& process_;
  Polling& polling_;
  Loop& loop_;
  Slots<UnderWay> under_way_;
  JobEfforts efforts_;
  WorkAhead work_;
  Unfed unfed_;
};

}  // namespace foretrain::sim
