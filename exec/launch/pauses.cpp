#include "exec/launch/pauses.h"

#include <algorithm>
#include <csignal>
#include <utility>

namespace foretrain::exec {
using Clock = std::chrono::steady_clock;

Pauses::Pauses(boost::asio::io_context& loop, const Scenario& scenario, int worker,
               SendSignal send_signal, Died died)
    : draws_(scenario, worker),
      dies_at_(life_of(scenario, worker).dies_at),
      send_signal_(std::move(send_signal)),
      died_(std::move(died)),
      timer_(loop),
      death_(loop) {}

void Pauses::start() {
  start_ = Clock::now();
  if (dies_at_.ns > 0) {
    death_.expires_at(start_ + std::chrono::nanoseconds(dies_at_.ns));
    death_.async_wait([this](boost::system::error_code error) {
      if (error) return;
      end();
      send_signal_(SIGKILL);
      died_(death_at(dies_at_));
    });
  }
  next_ = draws_.next();
  if (next_) wait_for(next_->begin);
}

void Pauses::end() {
  next_.reset();
  timer_.cancel();
  death_.cancel();
  if (std::exchange(until_, std::nullopt)) send_signal_(SIGCONT);
}

Instant Pauses::now() const {
  return {std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start_).count()};
}

void Pauses::wait_for(Instant time) {
  timer_.expires_at(start_ + std::chrono::nanoseconds(time.ns));
  timer_.async_wait([this](boost::system::error_code error) {
    if (!error && next_) look();
  });
}

// A pause that begins within another only makes it longer.
void Pauses::look() {
  const Instant here = now();
  while (next_ && next_->begin <= here && (!until_ || next_->begin <= *until_)) {
    if (!until_) send_signal_(SIGSTOP);
    until_ = until_ ? std::max(*until_, next_->end()) : next_->end();
    next_ = draws_.next();
  }
  if (until_ && *until_ <= here) {
    until_.reset();
    send_signal_(SIGCONT);
  }
  wait_for(until_ ? *until_ : next_->begin);
}

}  // namespace foretrain::exec
