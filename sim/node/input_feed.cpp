#include "sim/node/input_feed.h"

#include "models/base/check.h"

#include <algorithm>
#include <utility>

namespace foretrain::sim {

InputFeed::InputFeed(World& world, const InputSpec& spec, Bytes batch, int examples,
                     std::optional<std::size_t> server, std::size_t host, int core)
    : world_(world),
      spec_(spec),
      batch_(batch),
      examples_(examples),
      reader_(server.value_or(host)),
      host_(host),
      thread_(world.hosts[host].cpu->add_thread((core + 1) % world.hosts[host].cpu->cores())) {}

void InputFeed::start() {
  started_ = true;
  get();
}

void InputFeed::stop() {
  stopped_ = true;
  world_.hosts[host_].cpu->stop(thread_);
}

void InputFeed::go_on() {
  stopped_ = false;
  world_.hosts[host_].cpu->go_on(thread_);
  if (started_) get();
}

bool InputFeed::take(Callback ready) {
  FT_CHECK(!waiting_);
  const bool is_here = here_ > 0;
  if (is_here) {
    --here_;
  } else {
    waiting_ = ready;
  }
  get();
  return is_here;
}

// Begins to fetch a batch if one is wanted.
void InputFeed::get() {
  if (getting_ || stopped_ || (!waiting_ && here_ >= spec_.prefetch)) return;
  getting_ = true;
  const Instant now = world_.engine.now();
  const Callback read{this, static_cast<std::uint64_t>(Stage::read)};
  if (spec_.read_rate.value == 0) return world_.engine.schedule(now, read);
  Instant& disk_free = world_.hosts[reader_].disk_free;
  disk_free = std::max(now, disk_free) +
              world_.time_factors.scaled(Resource::input, transfer_time(batch_, spec_.read_rate));
  world_.engine.schedule(disk_free, read);
}

void InputFeed::wake(Instant now, std::uint64_t token) {
  switch (static_cast<Stage>(token)) {
    case Stage::read: {
      const Callback shipped{this, static_cast<std::uint64_t>(Stage::shipped)};
      if (reader_ == host_) return wake(now, shipped.token);
      if (!connection_) connection_ = world_.fabric->connect(reader_, host_);
      return world_.fabric->send(*connection_, batch_, 0, shipped);
    }
    case Stage::shipped:
      if (spec_.parse.ns == 0) return wake(now, static_cast<std::uint64_t>(Stage::parsed));
      return world_.hosts[host_].cpu->run(
          thread_, world_.time_factors.scaled(Resource::input, spec_.parse * examples_),
          Work::compute, {this, static_cast<std::uint64_t>(Stage::parsed)});
    case Stage::parsed:
      getting_ = false;
      if (waiting_) {
        const Callback ready = *std::exchange(waiting_, std::nullopt);
        world_.engine.schedule(now, ready);
      } else {
        ++here_;
      }
      return get();
  }
}

}  // namespace foretrain::sim
