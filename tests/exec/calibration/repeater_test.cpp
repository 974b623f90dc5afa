// Repetition of noisy measurements.
#include "exec/calibration/repeater.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>

namespace foretrain::exec {
namespace {

/// Cores with a constant speed.
CoreLook still() { return {0.01, 0.01}; }

struct Told {
  Machine machine;
  std::vector<std::string> lines;
  CalibrateOptions options;
  std::function<CoreLook()> look = still;
  CoreWatch watch{[this] { return look(); }};

  Told() {
    options.progress = [this](const std::string& line) { lines.push_back(line); };
  }
};

TEST_CASE("repeater: what is steady is measured as often as asked and noted") {
  Told told;
  Repeater repeater(told.machine, told.options, told.watch);
  int calls = 0;
  double one = 0;
  double two = 0;
  repeater.measure({{"one", &one}, {"two", &two}}, [&] {
    one = 100.0 + ++calls;
    two = 7;
  });
  CHECK(calls == 5);
  CHECK(one == 103);
  CHECK(two == 7);
  REQUIRE(told.machine.measurements.size() == 2);
  // The middle half of 101 to 105 is between 102 and 104.
  CHECK(told.machine.measurements[0] == Measurement{"one", 1.0 / 103, 5});
  CHECK(told.machine.measurements[1] == Measurement{"two", 0, 5});
  CHECK(told.lines.empty());
}

TEST_CASE("repeater: what is noisy is measured up to three times as often and says so") {
  Told told;
  Repeater repeater(told.machine, told.options, told.watch);
  int calls = 0;
  double steady = 1;
  double noisy = 0;
  repeater.measure({{"steady", &steady}, {"noisy", &noisy}},
                   [&] { noisy = ++calls % 2 == 0 ? 1.0 : 2.0; });
  CHECK(calls == 15);
  REQUIRE(told.lines.size() == 3);
  CHECK(told.lines[0] == "noisy: ± 25 % over 5 repetitions, again");
  CHECK(told.lines[2] == "noisy: ± 25 % over 15 repetitions, this machine is noisy");
  CHECK(told.machine.measurements[1].spread == Approx(0.25));
}

TEST_CASE("repeater: a noisy moment passes") {
  Told told;
  Repeater repeater(told.machine, told.options, told.watch);
  int calls = 0;
  double figure = 0;
  repeater.measure({{"figure", &figure}}, [&] {
    ++calls;
    figure = calls == 1 || calls == 3 ? 2.0 : 1.0;
  });
  CHECK(calls == 10);
  CHECK(figure == 1);
}

TEST_CASE("repeater: below its floor nothing is noise") {
  Told told;
  Repeater repeater(told.machine, told.options, told.watch);
  int calls = 0;
  double figure_s = 0;
  repeater.measure({{"figure", &figure_s, 1e-6}},
                   [&] { figure_s = ++calls % 2 == 0 ? 1e-6 : 2e-6; });
  CHECK(calls == 5);
  // The figure is recorded anyway.
  CHECK(told.machine.measurements[0].spread == Approx(0.25));
}

TEST_CASE("repeater: when patience has ended what is noisy is said to be so at once") {
  Told told;
  told.options.patience = std::chrono::steady_clock::now();
  Repeater repeater(told.machine, told.options, told.watch);
  int calls = 0;
  double noisy = 0;
  repeater.measure({{"noisy", &noisy}}, [&] { noisy = ++calls % 2 == 0 ? 1.0 : 2.0; });
  CHECK(calls == 5);
  CHECK(told.lines ==
        std::vector<std::string>{"noisy: ± 25 % over 5 repetitions, this machine is noisy"});
}

TEST_CASE("repeater: what compute took is told at the speed of the first looks") {
  Told told;
  told.look = [] {
    CoreLook slow = still();
    slow.alone_s *= 1.25;
    return slow;
  };
  Repeater repeater(told.machine, told.options, told.watch);
  double gradient_s = 5;
  double message_s = 5;
  repeater.measure({{.name = "gradient", .value = &gradient_s, .compute = true},
                    {.name = "message", .value = &message_s}},
                   [&] { gradient_s = message_s = 5; });
  CHECK(gradient_s == Approx(4));
  CHECK(message_s == 5);
}

TEST_CASE("core watch: what calibration saw of the cores becomes figures of the machine") {
  int looks = 0;
  CoreWatch watch([&] {
    CoreLook probe = still();
    probe.alone_s = ++looks % 4 == 0 ? 0.012 : 0.010;
    return probe;
  });
  for (int i = 0; i < 20; ++i) watch.look();
  const CoresSeen seen = watch.seen();
  CHECK(seen.known());
  CHECK(seen.alone == ReferenceTimes{{10'000'000}, {10'000'000}, {12'000'000}});
  // For a known machine, figures stay relative to its known speed.
  CoreWatch later(still, seen);
  CHECK(later.slower(watch.look(), watch.look()) == Approx(1.0).epsilon(0.2));
  CHECK(later.seen() == seen);
  CHECK(later.settled() == 1);
}

TEST_CASE("core watch: a calibration that began slowly is of the speed of its median look") {
  int looks = 0;
  CoreWatch watch([&] {
    CoreLook probe = still();
    probe.alone_s = ++looks <= 15 ? 0.012 : 0.010;
    return probe;
  });
  CHECK(watch.settled() == Approx(1));
  for (int i = 0; i < 20; ++i) watch.look();
  CHECK(watch.settled() == Approx(10.0 / 12));
  CHECK(watch.seen().alone.median == Duration{10'000'000});
}

}  // namespace
}  // namespace foretrain::exec
