// When an event loop reads its messages, which of them reach its program.
#include "sim/node/mailbox.h"

#include "scenarios/resolve/prepared.h"
#include "tests/support/actors.h"
#include "tests/support/cases.h"

#include <catch2/catch.hpp>

#include <functional>
#include <utility>
#include <vector>

namespace foretrain::testing {
namespace {
using namespace literals;

constexpr Duration kHandoff = 2_us;
constexpr Duration kWake = 50_us;
constexpr Duration kPreempt = 200_us;
const std::vector<MessageKind> kNoUpdates;

/// Records what its program would receive, and when.
struct Reader final : sim::Loop {
  Reader(sim::World& world, sim::Mailbox::Peers& mailboxes, NodeId id, int core)
      : process(world, {.host = 0, .core = core},
                sim::NodeHistory(world.history, id, false, false, false), nullptr),
        polling(process.host(), core),
        mailbox(world, id, mailboxes, process, polling, *this, {}, kNoUpdates, nullptr) {
    mailboxes.push_back(&mailbox);
  }
  void feed(Instant now, Input input) override {
    if (std::holds_alternative<Received>(input)) told.push_back(now);
  }
  void read_mail(Instant now) override { mailbox.read_all(now); }
  void evaluating(bool /*begins*/) override {}

  sim::Process process;
  sim::Polling polling;
  sim::Mailbox mailbox;
  std::vector<Instant> told;
};

/// A sender on core 0, a receiver on core 1 or another; sending is free unless costs per byte are
/// given.
struct Pair {
  explicit Pair(Duration receive_cost = {}, double sent_byte_s = 0, double received_byte_s = 0,
                int receiver_core = 1, double one_core_byte_s = 0)
      : world(prepare(small_case("sync", 1, 1), Need::shape), false,
              [=](const std::string&) {
                Machine machine;
                machine.cores = 2;
                machine.slice = 3_ms;
                machine.loopback.receive = {receive_cost.seconds(), received_byte_s};
                machine.loopback.send.per_item_s = sent_byte_s;
                machine.loopback.one_core_byte_s = one_core_byte_s;
                machine.loopback.handoff = kHandoff;
                machine.loopback.wake = kWake;
                machine.loopback.poll = 1_ms;
                machine.loopback.preempt = kPreempt;
                return machine;
              }),
        receiver(world, mailboxes, NodeId(1), receiver_core) {}

  void at(Duration time, std::function<void()> action) {
    later.add(world.engine, time, std::move(action));
  }
  void send_at(Duration time, Bytes payload = {}) {
    at(time, [this, time, payload] {
      Send send{NodeId(1), {.kind = MessageKind::push}};
      if (payload.value > 0) send.message.payload = Payload::sized(payload);
      sender.mailbox.send(Instant{} + time, send, {});
    });
  }
  /// Another process computes on the receiver's core.
  void compute_at(Duration time, Duration amount) {
    at(time, [this, amount] {
      sim::Cpu& cpu = *world.hosts[0].cpu;
      cpu.run(cpu.add_thread(1), amount, sim::Work::compute, {&ends, 0});
    });
  }
  /// The arrival time of each message at the receiver.
  std::vector<Instant> told() {
    world.engine.run();
    return receiver.told;
  }

  sim::World world;
  sim::Mailbox::Peers mailboxes;
  Reader sender{world, mailboxes, NodeId(0), 0};
  Reader receiver;
  Later later;
  Ends ends;  // of other work on the cores
};

std::vector<Instant> once(Duration at) { return {Instant{} + at}; }

TEST_CASE("mailbox: a loop that sleeps on an idle core is woken") {
  Pair pair;
  pair.send_at(5_ms);
  CHECK(pair.told() == once(5_ms + kWake));
}

TEST_CASE("mailbox: a large message is received while its sender sends the rest of it") {
  // 1 ns per byte on the slower side; the other side has one segment to process before or after.
  const auto [sent_s, received_s] = GENERATE(std::pair{1e-9, 0.5e-9}, std::pair{0.5e-9, 1e-9});
  const Bytes payload = GENERATE(Bytes{65'000}, Bytes{65'536}, Bytes{1'000'000});
  CAPTURE(sent_s, received_s, payload.value);
  Pair pair({}, sent_s, received_s);
  pair.send_at(5_ms, payload);
  Message message{.kind = MessageKind::push};
  message.payload = Payload::sized(payload);
  const auto size = static_cast<double>(wire_size(message).value);
  const double segment = std::min(size, static_cast<double>(kLoopbackSegment.value));
  const double took_s = size * 1e-9 + segment * 0.5e-9;
  REQUIRE(pair.told().size() == 1);
  const Duration after = pair.receiver.told[0] - (Instant{} + 5_ms);
  CHECK(after.seconds() == Approx(took_s + kWake.seconds()));
  // The sender's core was busy with the whole message.
  CHECK(pair.sender.process.used(sim::Work::transport).seconds() == Approx(size * sent_s));
}

TEST_CASE("mailbox: on one core a message is received once its sender is done with it") {
  const auto [sent_s, received_s] = GENERATE(std::pair{1e-9, 0.5e-9}, std::pair{0.5e-9, 1e-9});
  CAPTURE(sent_s, received_s);
  Pair pair({}, sent_s, received_s, 0);
  pair.send_at(5_ms, {1'000'000});
  REQUIRE(pair.told().size() == 1);
  const double took_s = (pair.receiver.told[0] - (Instant{} + 5_ms)).seconds();
  CHECK(took_s >= 1e6 * (sent_s + received_s));
  CHECK(took_s <= 1.001e6 * (sent_s + received_s) + kPreempt.seconds());
}

TEST_CASE("mailbox: a byte costs less between nodes of one core than between two") {
  const int core = GENERATE(0, 1);
  CAPTURE(core);
  Pair pair({}, 1e-9, 1e-9, core, 0.8e-9);
  pair.send_at(5_ms, {1'000'000});
  pair.told();
  const double used_s = pair.sender.process.used(sim::Work::transport).seconds() +
                        pair.receiver.process.used(sim::Work::transport).seconds();
  CHECK(used_s == Approx(core == 0 ? 0.8e-3 : 2e-3).epsilon(0.001));
}

TEST_CASE("mailbox: a loop that polls takes a message over") {
  Pair pair;
  pair.at(4'500_us, [&] { pair.receiver.polling.active(Instant{} + 4'500_us); });
  pair.send_at(5_ms);
  CHECK(pair.told() == once(5_ms + kHandoff));
}

TEST_CASE("mailbox: a loop that sleeps while others compute on its core is let in later") {
  Pair pair;
  pair.compute_at(1_ms, 20_ms);
  pair.send_at(5_ms);
  CHECK(pair.told() == once(5_ms + kPreempt));
}

TEST_CASE("mailbox: a loop that slept runs as soon as those on its core are through") {
  Pair pair(10_us);
  pair.compute_at(1_ms, 4'050_us);  // until 5.05 ms: long before it would be preempted
  pair.send_at(5_ms);
  CHECK(pair.told() == once(5'060_us));
}

TEST_CASE("mailbox: a loop that slept waits for those on its core as long as it is not let in") {
  Pair pair(10_us);
  pair.compute_at(1_ms, 4'050_us);
  pair.compute_at(1_ms, 20_ms);  // slices of 3 ms; from 4 ms on the other has its turn
  pair.send_at(5_ms);
  CHECK(pair.told() == once(5_ms + kPreempt + 10_us));
}

TEST_CASE("mailbox: what comes while a loop waits for its turn is read then, in order") {
  Pair pair(10_us);
  pair.compute_at(1_ms, 20_ms);
  pair.send_at(5_ms);
  pair.send_at(5'100_us);
  const Instant first = Instant{} + 5_ms + kPreempt + 10_us;
  CHECK(pair.told() == std::vector{first, first + 10_us});
}

TEST_CASE("mailbox: a loop at work reads when it is through") {
  Pair pair;
  pair.at(5_ms, [&] {
    const sim::CostBreakdown effort(sim::Resource::worker_cpu, 1_ms);
    pair.receiver.process.run(pair.receiver.process.loop(), effort, sim::Work::transport,
                              {&pair.ends, 0});
  });
  pair.send_at(5'200_us);
  CHECK(pair.told() == once(6_ms));
}

TEST_CASE("mailbox: a loop that is awake for something else reads what has come, once") {
  Pair pair;
  pair.send_at(5_ms);
  pair.at(5'010_us, [&] { pair.receiver.mailbox.read_all(Instant{} + 5'010_us); });
  CHECK(pair.told() == once(5'010_us));
}

TEST_CASE("mailbox: a loop that polled when others took its core waits for its turn") {
  Pair pair(10_us);
  pair.at(4'900_us, [&] { pair.receiver.polling.active(Instant{} + 4'900_us); });
  pair.compute_at(5_ms, 2_ms);
  pair.send_at(5'500_us);
  CHECK(pair.told() == once(7'010_us));
}

TEST_CASE("mailbox: who has yielded waits for its turn, also when its polling is over") {
  Pair pair(10_us);
  pair.at(4'900_us, [&] { pair.receiver.polling.active(Instant{} + 4'900_us); });
  pair.compute_at(5_ms, 2_ms);
  pair.send_at(6_ms);
  CHECK(pair.told() == once(7'010_us));
}

TEST_CASE("mailbox: who is woken on an idle core is not held up by others, nor by what comes") {
  Pair pair(10_us);
  pair.send_at(5_ms);
  pair.compute_at(5'010_us, 20_ms);
  pair.send_at(5'020_us);
  const Instant first = Instant{} + 5_ms + kWake + 10_us;
  CHECK(pair.told() == std::vector{first, first + 10_us});
}

TEST_CASE("mailbox: a loop that slept goes before those that have had more of its core") {
  Pair pair(10_us);
  pair.compute_at(3_ms, 20_ms);
  pair.send_at(5_ms);
  CHECK(pair.told() == once(5_ms + kPreempt + 10_us));
}

TEST_CASE("mailbox: what comes from a lost peer, or to a dead node, is counted and not read") {
  const bool dead = GENERATE(false, true);
  CAPTURE(dead);
  Pair pair;
  pair.send_at(5_ms);
  pair.at(6_ms, [&] {
    if (dead) {
      pair.receiver.mailbox.close();
    } else {
      pair.receiver.mailbox.mark_lost(NodeId(0));
    }
  });
  pair.send_at(7_ms);
  CHECK(pair.told() == once(5_ms + kWake));
  const sim::Traffic& sent = pair.sender.mailbox.traffic();
  const sim::Traffic& got = pair.receiver.mailbox.traffic();
  CHECK(sent.messages_sent == 2);
  CHECK(sent.within_host == sent.sent);
  CHECK(got.undelivered == kHeaderSize);
  CHECK(got.received + got.undelivered == sent.sent);
}

TEST_CASE("mailbox: what was read but not delivered when its peer was lost is not told") {
  Pair pair(1_ms);
  pair.send_at(5_ms);
  // It is being received from 5.05 ms on.
  pair.at(5'500_us, [&] { pair.receiver.mailbox.mark_lost(NodeId(0)); });
  CHECK(pair.told().empty());
}

}  // namespace
}  // namespace foretrain::testing
