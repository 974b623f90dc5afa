#include "sim/node/input_feed.h"

#include "models/base/check.h"
#include "scenarios/language/reader.h"

#include <algorithm>
#include <string>
#include <utility>

namespace foretrain::sim {
namespace {

// Bytes of an example that is moved.
Bytes example_size(const Case& c, const Training& training) {
  const InputSpec& input = c.scenario.dataset.input;
  if (input.example_size.value > 0) return input.example_size;
  const bool fed = !c.scenario.framework.session_host.empty();
  const bool moves = !input.served_by.empty() || input.read_rate.value > 0;
  const bool known = !training.network->profiled() && !training.network->sparse();
  if (!known && (moves || fed)) {
    const std::string key = moves ? "dataset.example_size" : "framework.session_host";
    fail_at(c.place_of(key), key,
            moves ? "left out, but the size of an example is not known; write it"
                  : "the size of a fed example is not known; remove it");
  }
  if (!known) return {};
  const InputShape& shape = training.network->input();
  return {4 * (shape.image.size() + (fed ? shape.classes : 0))};
}

// Empty if no host has this name.
std::optional<std::size_t> host_called(const World& world, const std::string& name) {
  const auto found = std::ranges::find(world.hosts, name, &Host::name);
  if (found == world.hosts.end()) return std::nullopt;
  return static_cast<std::size_t>(found - world.hosts.begin());
}

}  // namespace

std::unique_ptr<InputFeed> InputFeed::of(World& world, const Case& scenario_case,
                                         const Training& training, const NodePlace& place,
                                         std::int64_t begun) {
  InputSpec input = scenario_case.scenario.dataset.input;
  const FrameworkSpec& framework = scenario_case.scenario.framework;
  auto session = host_called(world, framework.session_host);
  if (session == place.host) session.reset();
  if (!input.costs() && !session) return nullptr;
  if (session) input.prefetch = 0;
  const Bytes example = example_size(scenario_case, training);
  std::unique_ptr<InputFeed> feed(
      new InputFeed(world, input, example * training.batch_size, training.batch_size,
                    host_called(world, input.served_by), place.host, place.cores.back()));
  if (session) feed->open_session(*session, framework, training, example, begun);
  return feed;
}

InputFeed::InputFeed(World& world, const InputSpec& spec, Bytes batch, int examples,
                     std::optional<std::size_t> server, std::size_t host, int core)
    : world_(world),
      spec_(spec),
      batch_(batch),
      examples_(examples),
      reader_(server.value_or(host)),
      sender_(reader_),
      host_(host),
      thread_(world.hosts[host].cpu->add_thread((core + 1) % world.hosts[host].cpu->cores())) {}

void InputFeed::open_session(std::size_t host, const FrameworkSpec& framework,
                             const Training& training, Bytes example, std::int64_t begun) {
  Cpu& cpu = *world_.hosts[host].cpu;
  const bool evaluates = framework.evaluation != "nobody";
  sender_ = host;
  session_.emplace(Session{cpu, cpu.add_thread(cpu.cores() - 1), framework.feed_s,
                           world_.fabric->connect(host_, host), example * training.test_examples,
                           training.accumulate, evaluates ? training.evaluate_every : 0, begun});
}

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

Bytes InputFeed::next_size() {
  if (!session_ || session_->every == 0) return batch_;
  const std::int64_t gradient = session_->begun++ / session_->batches + 1;
  return gradient % session_->every == 0 ? batch_ + session_->test_set : batch_;
}

// Begins to fetch a batch if one is wanted.
void InputFeed::get() {
  if (getting_ || stopped_ || (!waiting_ && here_ >= spec_.prefetch)) return;
  getting_ = true;
  size_ = next_size();
  const Instant now = world_.engine.now();
  if (spec_.read_rate.value == 0) return world_.engine.schedule(now, at(Stage::read));
  Instant& disk_free = world_.hosts[reader_].disk_free;
  disk_free = std::max(now, disk_free) +
              world_.time_factors.scaled(Resource::input, transfer_time(size_, spec_.read_rate));
  world_.engine.schedule(disk_free, at(Stage::read));
}

void InputFeed::wake(Instant now, std::uint64_t token) {
  switch (static_cast<Stage>(token)) {
    case Stage::read:
      if (!session_) return wake(now, at(Stage::handled).token);
      return world_.fabric->send(session_->connection, size_, 0, at(Stage::fed));
    case Stage::fed: {
      const auto takes =
          Duration::from_seconds(static_cast<double>(size_.value) * session_->byte_s);
      return session_->cpu.run(session_->thread, world_.time_factors.scaled(Resource::input, takes),
                               Work::compute, at(Stage::handled));
    }
    case Stage::handled:
      if (sender_ == host_) return wake(now, at(Stage::shipped).token);
      if (!connection_) connection_ = world_.fabric->connect(sender_, host_);
      return world_.fabric->send(*connection_, size_, 0, at(Stage::shipped));
    case Stage::shipped:
      if (spec_.parse.ns == 0) return wake(now, at(Stage::parsed).token);
      return world_.hosts[host_].cpu->run(
          thread_, world_.time_factors.scaled(Resource::input, spec_.parse * examples_),
          Work::compute, at(Stage::parsed));
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
