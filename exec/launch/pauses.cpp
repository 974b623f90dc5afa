#include "exec/launch/pauses.h"

#include <algorithm>
#include <csignal>
#include <utility>

namespace foretrain::exec {
using Clock = std::chrono::steady_clock;

Pauses::Pauses(boost::asio::io_context& loop, const Scenario& scenario, int worker,
               SendSignal send_signal)
    : draws_(scenario, worker), send_signal_(std::move(send_signal)), timer_(loop) {}

void Pauses::start() {
  start_ = Clock::now();
  next_ = draws_.next();
  if (next_) wait_for(next_->begin);
}

void Pauses::end() {
  next_.reset();
  timer_.cancel();
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
