// Signals that come while no launcher listens.
#include "exec/launch/interruption.h"

#include <catch2/catch.hpp>

#include <csignal>
#include <string>

namespace foretrain::exec {
namespace {

TEST_CASE("interruption: a signal is heard once it came, also beside a launcher's ears") {
  const int signal = GENERATE(SIGINT, SIGTERM, SIGHUP);
  Interruption interruption;
  CHECK(interruption.signal() == 0);
  {
    boost::asio::io_context loop(1);  // of a launcher
    boost::asio::signal_set ears(loop, signal);
    int heard = 0;
    ears.async_wait([&](boost::system::error_code error, int number) {
      if (!error) heard = number;
    });
    std::raise(signal);
    loop.run();
    CHECK(heard == signal);
  }
  CHECK(interruption.signal() == signal);
  CHECK(interruption.signal() == signal);
  CHECK(interrupted_by(signal) == "interrupted by signal " + std::to_string(signal));
}

TEST_CASE("interruption: a signal that nobody else hears waits to be asked for") {
  Interruption interruption;
  {
    boost::asio::io_context loop(1);  // of a launcher that does not run any more
    const boost::asio::signal_set ears(loop, SIGTERM);
    std::raise(SIGTERM);
  }
  CHECK(interruption.signal() == SIGTERM);
}

}  // namespace
}  // namespace foretrain::exec
