// The array of phases covers the struct, in its order.
#include "models/protocol/phases.h"

#include <catch2/catch.hpp>

#include <string>

namespace foretrain {
namespace {
using namespace literals;

constexpr Phases kStep{1_s, 2_s, 3_s, 4_s, 5_s, 6_s};

TEST_CASE("phases: each is in the array once, in the order of a step") {
  std::string names;
  std::int64_t ns = 0;
  for (const auto& [name, of] : kPhases<Duration>) {
    names += std::string(name) + " ";
    CHECK((kStep.*of).ns == (ns += 1'000'000'000));
  }
  CHECK(names == "compute push wait apply pull evaluate ");
}

TEST_CASE("phases: sums, lengths and seconds are of all six") {
  Phases sum = kStep;
  sum += kStep;
  CHECK(sum == Phases{2_s, 4_s, 6_s, 8_s, 10_s, 12_s});
  CHECK(length_of(sum) == 42_s);
  CHECK(seconds_of(kStep) == PhaseSeconds{1, 2, 3, 4, 5, 6});
}

}  // namespace
}  // namespace foretrain
