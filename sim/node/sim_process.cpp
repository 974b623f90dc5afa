#include "sim/node/sim_process.h"

#include "models/base/check.h"

#include <utility>

namespace foretrain::sim {

Process::Process(World& world, const Place& place, const NodeHistory& history,
                 std::unique_ptr<InputFeed> input)
    : engine_(world.engine),
      host_(world.hosts[place.host]),
      cpu_(*host_.cpu),
      computes_(place.device ? *host_.devices : cpu_),
      history_(history),
      id_(cpu_.add_process()),
      loop_(cpu_.add_thread(place.core, id_)),
      input_(std::move(input)),
      place_(place) {
  if (place.device) {
    compute_.push_back(computes_.add_thread(*place.device));
    return;
  }
  for (int i = 0; i < place.threads; ++i) {
    compute_.push_back(cpu_.add_thread((place.core + i) % cpu_.cores(), id_));
  }
}

void Process::run(Cpu::ThreadId thread, const CostBreakdown& effort, Work work, Callback done,
                  Cpu::Entry entry, Cpu::ShareMode share_mode) {
  const auto task = history_.ask(engine_.now(), effort);
  cpu_.run(thread, effort.total(), work, done, entry, task, share_mode);
}

void Process::compute(int thread, const CostBreakdown& effort, Callback done,
                      Cpu::ShareMode share_mode) {
  const auto task = history_.ask(engine_.now(), effort);
  computes_.run(compute_[static_cast<std::size_t>(thread)], effort.total(), Work::compute, done,
                Cpu::Entry::woken, task, share_mode);
}

void Process::stop(Resource why) {
  if (stops_++ > 0) return;
  history_.stopped(why);
  cpu_.stop(loop_);
  if (input_) input_->stop();
  for (const Cpu::ThreadId thread : compute_) computes_.stop(thread);
}

void Process::go_on() {
  FT_CHECK_OP(stops_, >, 0);
  if (--stops_ > 0) return;
  cpu_.go_on(loop_);
  if (input_) input_->go_on();
  for (const Cpu::ThreadId thread : compute_) computes_.go_on(thread);
}

Duration Process::used(Work work) const {
  Duration used = cpu_.used(loop_, work);
  for (const Cpu::ThreadId thread : compute_) {
    if (!has_device()) used = used + computes_.used(thread, work);
  }
  if (input_ && work == Work::compute) used = used + input_->used();
  return used;
}

Duration Process::computed_on_first_core() const {
  return cpu_.used(loop_, Work::compute) + computes_.used(compute_.front(), Work::compute);
}

}  // namespace foretrain::sim
