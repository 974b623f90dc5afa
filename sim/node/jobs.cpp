#include "sim/node/jobs.h"

#include <algorithm>
#include <utility>

namespace foretrain::sim {

Jobs::Jobs(World& world, Process& process, Polling& polling, Loop& loop, JobCosts efforts)
    : engine_(world.engine),
      process_(process),
      polling_(polling),
      loop_(loop),
      efforts_(std::move(efforts)),
      work_(world.pool.get()) {}

void Jobs::wake(Instant now, std::uint64_t token) {
  polling_.active(now);
  const std::size_t slot = token >> kStageBits;
  switch (static_cast<Stage>(token & ((1U << kStageBits) - 1))) {
    case Stage::fed:
      return fed(now);
    case Stage::computed:
      return computed(now, slot);
    case Stage::done:
      return finish(now, slot);
  }
}

void Jobs::ask_for(Job&& job) {
  const bool gradient = job.kind == JobKind::gradient;
  if (gradient && !unfed_.stages.empty()) return unfed_.stages.push_back(std::move(job));
  InputFeed* input = process_.input();
  if (gradient && job.stage == 0 && input != nullptr && !input->take(at_stage(Stage::fed, 0))) {
    unfed_.since = engine_.now();
    unfed_.cause = process_.history().current();
    return unfed_.stages.push_back(std::move(job));
  }
  if (job.kind == JobKind::evaluate) loop_.evaluating(true);
  begin(std::move(job));
}

void Jobs::fed(Instant now) {
  const NodeHistory& history = process_.history();
  history.go_on_from(history.waited(Resource::input, unfed_.since, now, unfed_.cause));
  for (Job& job : std::exchange(unfed_.stages, {})) begin(std::move(job));
}

void Jobs::begin(Job&& job) {
  const JobCost asked = efforts_.begin(job);
  const JobPlace place = efforts_.place(job);
  const bool on_loop = place == JobPlace::loop;
  if (!on_loop && !process_.has_device()) polling_.job_begins();
  const int threads = place == JobPlace::compute_threads ? process_.compute_threads() : 1;
  const Instant not_before = engine_.now() + asked.least;
  const std::size_t slot =
      under_way_.keep({std::move(job), place, threads, not_before, asked.straggling});
  const Callback computed = at_stage(Stage::computed, slot);
  if (!on_loop) work_.begin(slot, under_way_[slot].job);
  if (on_loop) {
    return process_.run(process_.loop(), asked.effort, Work::compute, computed, Cpu::Entry::woken,
                        asked.share_mode);
  }
  for (int thread = 0; thread < threads; ++thread) {
    process_.compute(thread, asked.effort, computed, asked.share_mode);
  }
}

// A thread has finished its part.
void Jobs::computed(Instant now, std::size_t slot) {
  UnderWay& under_way = under_way_[slot];
  if (--under_way.parts > 0) return;
  if (now < under_way.not_before) {
    under_way.parts = 1;
    under_way.rests = now;
    under_way.computed = process_.history().current();
    return engine_.schedule(under_way.not_before, at_stage(Stage::computed, slot));
  }
  note_rest(now, under_way);
  if (under_way.place != JobPlace::loop) {
    // The loop is woken ahead of the next job, so its messages leave before that begins; except if
    // a message woke it earlier: a thread that already waits for its turn is not woken again.
    return process_.wake_loop(at_stage(Stage::done, slot), Cpu::Entry::woken);
  }
  finish(now, slot);
}

// Records the sleep of a job with a given time.
void Jobs::note_rest(Instant now, const UnderWay& under_way) const {
  if (under_way.rests == Instant{}) return;
  const NodeHistory& history = process_.history();
  const Duration straggling = std::min(under_way.straggling, now - under_way.rests);
  const Instant middle = now + Duration{-straggling.ns};
  const ActivityId usual =
      history.waited(history.of(under_way.job.kind), under_way.rests, middle, under_way.computed);
  history.go_on_from(history.waited(Resource::straggling, middle, now, usual));
}

void Jobs::finish(Instant now, std::size_t slot) {
  UnderWay under_way = under_way_.take(slot);
  Job& job = under_way.job;
  // Releases what the job holds before the program continues.
  const JobResult result = work_.finish(slot, job);
  if (under_way.place != JobPlace::loop && !process_.has_device()) polling_.job_ends();
  if (job.kind == JobKind::evaluate) loop_.evaluating(false);
  if (job.kind == JobKind::apply) process_.history().updated();
  loop_.feed(now, Computed{job.id, result});
  loop_.read_mail(now);
}

}  // namespace foretrain::sim
