#include "exec/calibration/message_costs.h"

#include "exec/calibration/ping_pong.h"
#include "exec/driver/event_loop.h"
#include "reports/record/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace foretrain::exec {
namespace {

constexpr Bytes kLarge{1'000'000};  // a bucket; with its copies larger than a core's own caches
constexpr Bytes kShaped{250'000};   // takes 2 ms on a link of 1 Gbit/s
constexpr Bytes kFirst{32'000};     // kShortMessageBytes with the header
// Time of a small gradient. After 0.1 to 0.8 ms of compute a round trip is equally long; without
// it, half.
constexpr Duration kCompute{200'000};

bool shaped(const Hosts& hosts) { return hosts.count() > 1; }
Bytes large_on(const Hosts& hosts) { return shaped(hosts) ? kShaped : kLarge; }

// Growth of both nodes' CPU time from the small to the large message.
struct CpuGrowth {
  double sender_s = 0;
  double receiver_s = 0;

  [[nodiscard]] double total_s() const { return sender_s + receiver_s; }
};

CpuGrowth cpu_growth(const RoundTrip& small, const RoundTrip& large) {
  return {std::max(0.0, large.cpu_caller_s - small.cpu_caller_s),
          std::max(0.0, large.cpu_echo_s - small.cpu_echo_s)};
}

double byte_s_of(double grown_s, const Hosts& hosts) {
  return std::max(0.0, grown_s) / static_cast<double>(large_on(hosts).value);
}

// Cost of a byte of kFirst over an empty message, in bytes of a long message.
double short_message_factor_of(const RoundTrip& small, const RoundTrip& first, double byte_s) {
  constexpr double kLeast = 0.1;
  const double grown_s = (first.time_s - small.time_s) / static_cast<double>(kFirst.value);
  return byte_s > 0 ? std::clamp(grown_s / byte_s, kLeast, 1.0) : 1;
}

}  // namespace

OneCore measure_one_core(int core, const Hosts& hosts) {
  const RoundTrip small =
      measure_round_trip(core, core, {.rounds = 400, .compute = kCompute}, hosts);
  const RoundTrip large = measure_round_trip(
      core, core, {.payload = large_on(hosts), .rounds = 100, .compute = kCompute}, hosts);
  if (shaped(hosts)) {
    return {small.time_s / 2, byte_s_of(cpu_growth(small, large).total_s(), hosts)};
  }
  const RoundTrip first = measure_round_trip(
      core, core, {.payload = kFirst, .rounds = 400, .compute = kCompute}, hosts);
  const double byte_s = byte_s_of(large.time_s - small.time_s, hosts);
  return {small.time_s / 2, byte_s, short_message_factor_of(small, first, byte_s)};
}

Crossing measure_crossing(int core_a, int core_b, const Hosts& hosts) {
  const auto trip = [&](const PingPong& setting) {
    return measure_round_trip(core_a, core_b, setting, hosts);
  };
  const RoundTrip small = trip({.rounds = 300, .polling = true, .compute = kCompute});
  // The CPU time of a polling node is meaningless, so these do not poll.
  const CpuGrowth growth =
      cpu_growth(trip({.rounds = 100, .compute = kCompute}),
                 trip({.payload = large_on(hosts), .rounds = 100, .compute = kCompute}));
  Crossing crossing{small.time_s / 2, byte_s_of(growth.sender_s, hosts),
                    byte_s_of(growth.receiver_s, hosts)};
  if (shaped(hosts)) return crossing;
  const RoundTrip first =
      trip({.payload = kFirst, .rounds = 300, .polling = true, .compute = kCompute});
  crossing.short_message_factor =
      short_message_factor_of(small, first, crossing.sent_byte_s + crossing.received_byte_s);
  return crossing;
}

double measure_cold_byte(int core, Bytes walked) {
  const Hosts hosts({}, false);
  const auto grown_s = [&](Bytes before) {
    PingPong setting{.rounds = 16, .compute = kCompute, .walked = before};
    const RoundTrip small = measure_round_trip(core, core, setting, hosts);
    setting.payload = kLarge;
    return cpu_growth(small, measure_round_trip(core, core, setting, hosts)).total_s();
  };
  return byte_s_of((grown_s(walked) - grown_s({})) / 2, hosts);
}

Waking measure_waking(int core_a, int core_b, const Hosts& hosts) {
  PingPong setting{.rounds = 100, .rest = {2 * kPoll.ns}, .polling = true, .compute = kCompute};
  const double idle_s = measure_round_trip(core_a, core_b, setting, hosts).time_s;
  setting.crowded = true;
  return {idle_s, measure_round_trip(core_a, core_b, setting, hosts).time_s};
}

TransportCost transport_cost(const OneCore& one, const Crossing* crossing, const Waking* waking) {
  TransportCost cost;
  cost.poll = kPoll;
  double message_s = one.message_s;
  double handoff_s = 0;
  cost.send.per_item_s = cost.receive.per_item_s = one.byte_s / 2;
  cost.short_message_factor = cost.one_core_short_message_factor = one.short_message_factor;
  if (crossing != nullptr) {
    message_s = std::min(message_s, crossing->message_s);
    handoff_s = crossing->message_s - message_s;
    cost.send.per_item_s = crossing->sent_byte_s;
    cost.receive.per_item_s = crossing->received_byte_s;
    cost.one_core_byte_s = one.byte_s;
    cost.short_message_factor = crossing->short_message_factor;
  }
  cost.send.overhead_s = cost.receive.overhead_s = message_s / 2;
  cost.handoff = Duration::from_seconds(handoff_s);
  if (waking == nullptr) return cost;
  const auto woken = [&](double trip_s) {
    return Duration::from_seconds(std::max(0.0, trip_s - 2 * message_s - handoff_s));
  };
  cost.wake = woken(waking->idle_s);
  cost.preempt = woken(waking->busy_s);
  return cost;
}

Crossings::Crossings(std::function<Crossing()> measure, CoreWatch& watch)
    : measure_(std::move(measure)), watch_(watch) {}

void Crossings::take(int times) {
  for (int i = 0; i < times; ++i) {
    const CoreLook before = watch_.look();
    Crossing& crossing = taken_.emplace_back(measure_());
    const double slower = watch_.slower(before, watch_.look());
    crossing.message_s /= slower;
    crossing.sent_byte_s /= slower;
    crossing.received_byte_s /= slower;
  }
}

std::vector<double> Crossings::values(double Crossing::*figure) const {
  std::vector<double> values;
  values.reserve(taken_.size());
  for (const Crossing& taken : taken_) values.push_back(taken.*figure);
  return values;
}

Crossing Crossings::median_of_all() const {
  const auto middle = [&](double Crossing::*figure) { return median(values(figure)).value(); };
  return {middle(&Crossing::message_s), middle(&Crossing::sent_byte_s),
          middle(&Crossing::received_byte_s), middle(&Crossing::short_message_factor)};
}

void Crossings::note(std::vector<Measurement>& measurements) const {
  constexpr std::array kFigures{std::pair{"message", &Crossing::message_s},
                                std::pair{"byte sent", &Crossing::sent_byte_s},
                                std::pair{"byte received", &Crossing::received_byte_s},
                                std::pair{"first bytes", &Crossing::short_message_factor}};
  for (const auto& [name, figure] : kFigures) {
    const std::vector<double> all = values(figure);
    measurements.push_back({fmt::format("loopback, {}", name), relative_spread(all).value_or(0),
                            static_cast<int>(all.size())});
  }
}

}  // namespace foretrain::exec
