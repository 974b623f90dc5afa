// The jobs of a node, from request to completion.
#pragma once

#include "models/cost/job_placement.h"
#include "sim/node/job_costs.h"
#include "sim/node/loop.h"
#include "sim/node/polling.h"
#include "sim/node/sim_process.h"
#include "sim/world/work_pool.h"

#include <cstdint>
#include <vector>

namespace foretrain::sim {

/// Executes the jobs that a node requests:
///
///     requested -> its batch is there -> on the loop, or on compute threads
///               -> (sleeps the rest of a given time) -> the loop is notified -> its work
///               -> the program is notified
///
/// 1. A gradient begins when its batch is there; stages requested meanwhile follow it.
/// 2. `models/cost/job_placement.h` decides where it runs; with gradients on a device, sums and
///    updates run on the loop. The effort was measured with as many threads: each of them is busy
///    until the job is done.
/// 3. Its work happens in zero virtual time, at its end; another core may have begun it earlier.
class Jobs : public Actor {
 public:
  /// All arguments except `world` belong to the same node; all outlive this.
  Jobs(World& world, Process& process, Polling& polling, Loop& loop, JobCosts efforts);

  void ask_for(Job&& job);
  /// The node has handled a message.
  void message() { efforts_.message(); }
  /// The process is dead: none of its work begins or continues.
  void drop() { work_.drop(); }
  void wake(Instant now, std::uint64_t token) override;

 private:
  /// Kind of an event; its token combines it with the slot of the job.
  enum class Stage : std::uint8_t { fed, computed, done };
  static constexpr int kStageBits = 2;
  struct UnderWay {
    Job job;
    JobPlace place = JobPlace::loop;
    int parts = 1;          // threads that have not finished
    Instant not_before;     // it ends then at the earliest
    Duration straggling{};  // part of the given time
    ActivityId computed = 0;
    Instant rests{};  // begin of its sleep until `not_before`
  };
  /// The requested stages of a gradient whose batch is not there yet.
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
  JobCosts efforts_;
  WorkAhead work_;
  Unfed unfed_;
};

}  // namespace foretrain::sim
