// Options of strategies as values.
#include "models/protocol/options.h"

#include "models/base/check.h"

#include <catch2/catch.hpp>

#include <cstdint>
#include <string>

namespace foretrain {
namespace {

const OptionSection kOuterSection{.key = "outer", .doc = "a section"};
const Option kCountOption{
    .key = "count", .doc = "", .fallback = std::int64_t{3}, .unused_because = ""};
const Option kRateOption{
    .key = "rate", .doc = "", .fallback = 0.5, .unused_because = "", .section = &kOuterSection};
const Option kWordOption{.key = "word",
                         .doc = "",
                         .fallback = std::string("one"),
                         .choices = {"one", "two"},
                         .unused_because = ""};

TEST_CASE("options: what is not set is the fallback") {
  const ProtocolOptions options;
  CHECK(options.integer(kCountOption) == 3);
  CHECK(options.number(kRateOption) == 0.5);
  CHECK(options.word(kWordOption) == "one");
  CHECK(kCountOption.path() == "count");
  CHECK(kRateOption.path() == "outer.rate");
}

TEST_CASE("options: set to the fallback is as not set") {
  ProtocolOptions options;
  options.set(kCountOption, std::int64_t{4});
  options.set(kWordOption, std::string("two"));
  CHECK(options.integer(kCountOption) == 4);
  CHECK(options.word(kWordOption) == "two");
  CHECK(options != ProtocolOptions());
  options.set(kCountOption, std::int64_t{3});
  options.set(kWordOption, std::string("one"));
  CHECK(options == ProtocolOptions());
}

TEST_CASE("options: of those that a strategy has the others are dropped") {
  ProtocolOptions options;
  options.set(kCountOption, std::int64_t{4});
  options.set(kRateOption, 0.25);
  CHECK(options.has_any(kOuterSection));
  const ProtocolOptions some = options.only({&kCountOption});
  CHECK(some.integer(kCountOption) == 4);
  CHECK(some.number(kRateOption) == 0.5);
  CHECK(!some.has_any(kOuterSection));
}

TEST_CASE("options: a value has the type of its option") {
  ProtocolOptions options;
  CHECK_THROWS_AS(options.set(kCountOption, 0.5), InvariantViolation);
}

}  // namespace
}  // namespace foretrain
