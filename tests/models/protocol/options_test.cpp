// Options of strategies as values.
#include "models/protocol/options.h"

#include "models/base/check.h"

#include <catch2/catch.hpp>

#include <cstdint>
#include <string>

namespace foretrain {
namespace {

const OptionSection kSection{.key = "outer", .doc = "a section"};
const Option kCount{.key = "count", .doc = "", .fallback = std::int64_t{3}, .unused_because = ""};
const Option kRate{
    .key = "rate", .doc = "", .fallback = 0.5, .unused_because = "", .section = &kSection};
const Option kWord{.key = "word",
                   .doc = "",
                   .fallback = std::string("one"),
                   .choices = {"one", "two"},
                   .unused_because = ""};

TEST_CASE("options: what is not set is the fallback") {
  const ProtocolOptions options;
  CHECK(options.integer(kCount) == 3);
  CHECK(options.number(kRate) == 0.5);
  CHECK(options.word(kWord) == "one");
  CHECK(kCount.path() == "count");
  CHECK(kRate.path() == "outer.rate");
}

TEST_CASE("options: set to the fallback is as not set") {
  ProtocolOptions options;
  options.set(kCount, std::int64_t{4});
  options.set(kWord, std::string("two"));
  CHECK(options.integer(kCount) == 4);
  CHECK(options.word(kWord) == "two");
  CHECK(options != ProtocolOptions());
  options.set(kCount, std::int64_t{3});
  options.set(kWord, std::string("one"));
  CHECK(options == ProtocolOptions());
}

TEST_CASE("options: of those that a strategy has the others are dropped") {
  ProtocolOptions options;
  options.set(kCount, std::int64_t{4});
  options.set(kRate, 0.25);
  CHECK(options.has_any(kSection));
  const ProtocolOptions some = options.only({&kCount});
  CHECK(some.integer(kCount) == 4);
  CHECK(some.number(kRate) == 0.5);
  CHECK(!some.has_any(kSection));
}

TEST_CASE("options: a value has the type of its option") {
  ProtocolOptions options;
  CHECK_THROWS_AS(options.set(kCount, 0.5), InvariantViolation);
}

}  // namespace
}  // namespace foretrain
