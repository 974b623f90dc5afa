// The silence limit counts the listener's own time.
#include "exec/launch/failure_detector.h"

#include <catch2/catch.hpp>

#include <cstdint>

namespace foretrain::exec {
namespace {
using namespace literals;

constexpr Duration kSilenceLimit = 3_s;

// Looks up to `times` more, `apart` from each other; returns how many found the node alive.
int looks_before_lost(FailureDetector& silence, Instant& now, Duration apart, std::uint64_t bytes,
                      int times) {
  for (int look = 0; look < times; ++look) {
    now = now + apart;
    if (silence.look(now, bytes)) return look;
  }
  return times;
}

TEST_CASE("silence: who says nothing is lost when the limit has passed, not before") {
  FailureDetector silence(kSilenceLimit);
  Instant now{};
  CHECK_FALSE(silence.look(now, 700));
  CHECK(looks_before_lost(silence, now, 250_ms, 700, 100) == 11);
  CHECK(now == Instant{} + kSilenceLimit);
}

TEST_CASE("silence: a single byte ends it") {
  FailureDetector silence(kSilenceLimit);
  Instant now{};
  CHECK_FALSE(silence.look(now, 0));
  CHECK(looks_before_lost(silence, now, 250_ms, 0, 11) == 11);
  now = now + 250_ms;
  CHECK_FALSE(silence.look(now, 1));
  CHECK(looks_before_lost(silence, now, 250_ms, 1, 100) == 11);
}

TEST_CASE("silence: a listener that was stopped counts one interval, however long it was") {
  const Duration stopped = GENERATE(1_s, 5_s, 3'600_s);
  FailureDetector silence(kSilenceLimit);
  Instant now{};
  CHECK_FALSE(silence.look(now, 9));
  now = now + stopped;
  CHECK_FALSE(silence.look(now, 9));
  // Ten more looks bring it to 2.75 s.
  CHECK(looks_before_lost(silence, now, 250_ms, 9, 100) == 10);
}

TEST_CASE("silence: a listener that runs now and then looks as often as one that always runs") {
  FailureDetector silence(kSilenceLimit);
  Instant now{};
  CHECK_FALSE(silence.look(now, 9));
  CHECK(looks_before_lost(silence, now, 2_s, 9, 100) == 11);
  CHECK(now == Instant{} + 24_s);
}

TEST_CASE("silence: what was waiting while the listener was stopped is heard") {
  FailureDetector silence(kSilenceLimit);
  Instant now{};
  CHECK_FALSE(silence.look(now, 9));
  CHECK(looks_before_lost(silence, now, 250_ms, 9, 11) == 11);
  now = now + 5_s;
  CHECK_FALSE(silence.look(now, 10));
}

TEST_CASE("silence: looks that come too often count the time that passed") {
  FailureDetector silence(kSilenceLimit);
  Instant now{};
  CHECK_FALSE(silence.look(now, 9));
  CHECK(looks_before_lost(silence, now, 1_ms, 9, 10'000) == 2'999);
}

TEST_CASE("silence: of who waits for a core counts what it had of it") {
  FailureDetector silence(kSilenceLimit);
  Instant now{};
  CHECK_FALSE(silence.look(now, 9));
  // With a tenth of a core it takes ten times as long. Time without CPU does not count.
  for (int look = 0; look < 119; ++look) {
    now = now + 250_ms;
    CAPTURE(look);
    REQUIRE_FALSE(silence.look(now, 9, 25_ms));
    now = now + 250_ms;
    REQUIRE_FALSE(silence.look(now, 9, 0_s));
  }
  now = now + 250_ms;
  CHECK(silence.look(now, 9, 25_ms));
}

TEST_CASE("silence: who has a core and says nothing is lost as before") {
  FailureDetector silence(kSilenceLimit);
  Instant now{};
  CHECK_FALSE(silence.look(now, 9));
  for (int look = 0; look < 11; ++look) {
    now = now + 250_ms;
    REQUIRE_FALSE(silence.look(now, 9, 300_ms));  // with several threads
  }
  now = now + 250_ms;
  CHECK(silence.look(now, 9, 300_ms));
}

TEST_CASE("silence: a limit has about a dozen looks") {
  CHECK(FailureDetector::interval_of(100_ms) == 10_ms);
  CHECK(FailureDetector::interval_of(1'200_ms) == 100_ms);
  CHECK(FailureDetector::interval_of(3_s) == 250_ms);
  CHECK(FailureDetector::interval_of(3'600_s) == 250_ms);
}

}  // namespace
}  // namespace foretrain::exec
