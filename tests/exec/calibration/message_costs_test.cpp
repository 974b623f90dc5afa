// Message costs from made-up round trips.
#include "exec/calibration/message_costs.h"

#include <catch2/catch.hpp>

#include <algorithm>

namespace foretrain::testing {
namespace {
using namespace exec;

constexpr OneCore kOne{10e-6, 150e-12, 0.8};
constexpr Waking kWaking{100e-6, 70e-6};

}  // namespace

TEST_CASE("message costs: bytes between two cores cost each its own CPU time") {
  const Crossing near{10e-6, 120e-12, 80e-12};
  const TransportCost cost = transport_cost(kOne, &near, &kWaking);
  CHECK(cost.send.overhead_s == 5e-6);
  CHECK(cost.receive.overhead_s == 5e-6);
  CHECK(cost.send.per_item_s == 120e-12);
  CHECK(cost.receive.per_item_s == 80e-12);
  CHECK(cost.handoff == Duration{});
  CHECK(cost.wake.ns == 80'000);
  CHECK(cost.preempt.ns == 50'000);
  CHECK(cost.poll == kPoll);
  CHECK(cost.one_core_byte_s == 150e-12);
}

TEST_CASE("message costs: a byte of the first 32 KB takes less than one of a long message") {
  const Crossing near{10e-6, 120e-12, 80e-12, 0.5};
  const TransportCost cost = transport_cost(kOne, &near, &kWaking);
  CHECK(cost.short_message_factor == 0.5);
  CHECK(cost.sending(Bytes{20'000}).ns == 5'000 + 1'200);
  CHECK(cost.receiving(Bytes{20'000}).ns == 5'000 + 800);
  // The first 32,768 bytes count half, later ones fully.
  CHECK(cost.sending(Bytes{1'016'384}).ns == 5'000 + 120'000);
  CHECK(cost.on_one_core().short_message_factor == 0.8);
  CHECK(cost.on_one_core().sending(Bytes{20'000}).ns == 5'000 + 1'200);
  CHECK(transport_cost(kOne, nullptr, nullptr).short_message_factor == 0.8);
}

TEST_CASE("message costs: messages to far cores are handed over") {
  const Crossing far{13e-6, 300e-12, 300e-12};
  const TransportCost cost = transport_cost(kOne, &far, &kWaking);
  CHECK(cost.send.overhead_s == 5e-6);
  CHECK(cost.send.per_item_s == Approx(300e-12));
  CHECK(cost.receive.per_item_s == Approx(300e-12));
  CHECK(cost.handoff.ns == 3'000);
  CHECK(cost.wake.ns == 77'000);
}

TEST_CASE(
    "message costs: a message across that takes less than one on one core is not switched to") {
  const Crossing quick{8e-6, 0, 0};
  const TransportCost cost = transport_cost(kOne, &quick, nullptr);
  CHECK(cost.send.overhead_s == 4e-6);
  CHECK(cost.handoff == Duration{});
  CHECK(cost.wake == Duration{});
}

TEST_CASE("message costs: on one core nobody is woken on another") {
  const TransportCost cost = transport_cost(kOne, nullptr, nullptr);
  CHECK(cost.send == AffineCost{5e-6, 75e-12});
  CHECK(cost.receive == cost.send);
  CHECK(cost.on_one_core() == cost);
  CHECK(cost.handoff == Duration{});
}

TEST_CASE("crossings: each is taken at the speed of the first looks, the median counts") {
  std::size_t looks = 0;
  const CoresSeen known{{{5'000'000}, {5'000'000}, {5'000'000}}};
  // The third of three crossings sees the machine at half its speed.
  CoreWatch watch([&] { return CoreLook{++looks > 4 ? 10e-3 : 5e-3, 0}; }, known);
  double value = 0;
  Crossings crossings([&] { return Crossing{++value, 10 * value, 5 * value}; }, watch);
  crossings.take(3);
  CHECK(crossings.median_of_all().message_s == 1.5);  // of 1, 2, 3 / 2
  CHECK(crossings.median_of_all().sent_byte_s == 15);
  CHECK(crossings.median_of_all().received_byte_s == 7.5);
  std::vector<Measurement> notes;
  crossings.note(notes);
  REQUIRE(notes.size() == 4);
  CHECK(notes[0].figure == "loopback, message");
  CHECK(notes[0].repetitions == 3);
}

}  // namespace foretrain::testing
