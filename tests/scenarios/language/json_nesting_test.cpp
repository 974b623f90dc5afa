// The limit to the nesting of JSON.
#include "scenarios/language/file_errors.h"

#include <catch2/catch.hpp>

#include <string>

namespace foretrain {

TEST_CASE("json: nesting ends at a hundred levels, on the line that has one more") {
  const std::string most = std::string(50, '[') + "\n" + std::string(50, '{');
  CHECK_FALSE(nested_too_deep(most));
  CHECK(nested_too_deep(most + "\n\n[") == 4u);
  CHECK_FALSE(nested_too_deep(most + "}" + "["));
}

TEST_CASE("json: brackets in texts are no levels") {
  const std::string many(1'000, '[');
  CHECK_FALSE(nested_too_deep("\"" + many + "\""));
  CHECK_FALSE(nested_too_deep(R"("a \" b )" + many + "\""));
  CHECK(nested_too_deep(R"("a \\")" + many) == 1u);
  CHECK_FALSE(nested_too_deep("\"\\"));
}

}  // namespace foretrain
