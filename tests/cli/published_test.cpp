// `report --published` as people call it: studies beside forecasts, as tables, a page, JSON.
#include "tests/cli/sandbox.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <string>

namespace foretrain {
namespace {

using Catch::Contains;
using testing::Called;
using testing::Sandbox;
using testing::text_of;

TEST_CASE("published called: a study's figures stand beside forecasts, in tables, a page, JSON") {
  Sandbox sandbox;
  const Called called = sandbox.call("report --published lenet_batch_sweep --json --out p");
  INFO(called.err);
  REQUIRE(called.status == 0);
  CHECK(nlohmann::json::parse(called.out).is_object());
  CHECK_THAT(called.out, Contains("lenet_batch_sweep") && !Contains("criteo_sparse"));
  for (const char* file : {"errors.md", "errors.csv", "report.html"}) {
    CAPTURE(file);
    CHECK(sandbox.has(std::string("p/") + file));
  }
  CHECK_THAT(text_of(sandbox.path("p/errors.csv")), Contains("lenet_batch_sweep"));
}

TEST_CASE("published called: others' clusters are forecast beside what they measured") {
  Sandbox sandbox;
  const Called called = sandbox.call("report --published clusters multiverso --quiet --out c");
  INFO(called.err);
  REQUIRE(called.status == 0);
  CHECK_THAT(called.out, Contains("multiverso") && Contains("page:    c/report.html"));
  CHECK_THAT(text_of(sandbox.path("c/errors.csv")), Contains("multiverso"));
}

TEST_CASE("published called: what makes no sense is refused with what to do") {
  Sandbox sandbox;
  const auto refused = [&](const std::string& words) {
    const Called called = sandbox.call("report --published " + words);
    CAPTURE(words, called.err);
    CHECK(called.status == 2);
    CHECK(!sandbox.has("out"));
    return called.err;
  };
  CHECK_THAT(refused("criteo_sparse lenet_batch_sweep"), Contains("--published: name one study"));
}

}  // namespace
}  // namespace foretrain
