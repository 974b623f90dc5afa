#include "exec/launch/interruption.h"

#include <fmt/format.h>

namespace foretrain::exec {

std::string interrupted_by(int signal) { return fmt::format("interrupted by signal {}", signal); }

Interruption::Interruption() {
  for (const int signal : kEndingSignals) signals_.add(signal);
  signals_.async_wait([this](boost::system::error_code error, int signal) {
    if (!error) came_ = signal;
  });
}

int Interruption::signal() {
  loop_.poll();
  return came_;
}

}  // namespace foretrain::exec
