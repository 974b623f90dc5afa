#include "exec/launch/pauses.h"

#include <csignal>
#include <utility>

namespace foretrain::exec {
using Clock = std::chrono::steady_clock;

Pauses::Pauses(boost::asio::io_context& loop, const Scenario& scenario, int node, Instant begins,
               SendSignal send_signal, Died died)
    : standing_still_(scenario, node),
      begins_(begins),
      send_signal_(std::move(send_signal)),
      died_(std::move(died)),
      timer_(loop),
      death_(loop) {
  standing_still_.begin_at(begins);
  for (const FaultSchedule::Death& death : fault_schedule_of(scenario, node).deaths) {
    if (!dies_ && Instant{} + death.at > begins) dies_ = death;
  }
}

void Pauses::start() {
  start_ = Clock::now() - std::chrono::nanoseconds(begins_.ns);
  if (dies_) {
    death_.expires_at(start_ + std::chrono::nanoseconds(dies_->at.ns));
    death_.async_wait([this](boost::system::error_code error) {
      if (error) return;
      end();
      send_signal_(SIGKILL);
      died_(*dies_);
    });
  }
  wait();
}

void Pauses::end() {
  const bool stood = standing_still_.now();
  standing_still_.end();
  timer_.cancel();
  death_.cancel();
  if (stood) send_signal_(SIGCONT);
}

Instant Pauses::now() const {
  return {std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start_).count()};
}

void Pauses::wait() {
  const auto next = standing_still_.next_look();
  if (!next) return;
  timer_.expires_at(start_ + std::chrono::nanoseconds(next->ns));
  timer_.async_wait([this](boost::system::error_code error) {
    if (!error) look();
  });
}

void Pauses::look() {
  const bool stood = standing_still_.now();
  const bool stands = standing_still_.look(now());
  if (stands != stood) send_signal_(stands ? SIGSTOP : SIGCONT);
  wait();
}

}  // namespace foretrain::exec
