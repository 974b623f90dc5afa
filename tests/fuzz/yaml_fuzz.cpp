// Fuzzes the reader of YAML, then reads its own output.
#include "models/base/check.h"
#include "scenarios/language/text_guard.h"
#include "scenarios/language/value.h"
#include "tests/fuzz/fuzz.h"

#include <algorithm>
#include <string>

using namespace foretrain;
using namespace foretrain::fuzz;

namespace {

bool same(const Value& a, const Value& b) {
  const auto same_entry = [](const Entry& x, const Entry& y) {
    return x.key == y.key && same(x.value, y.value);
  };
  return a.kind == b.kind && a.text == b.text && std::ranges::equal(a.items, b.items, same) &&
         std::ranges::equal(a.entries, b.entries, same_entry);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(text_of(data, size));
  expect_refusal_at_most("text", [&] { check_text(text, "text"); });
  expect_refusal_at_most("--set", [&] { to_flow(parse_yaml_value(text, "--set")); });
  expect_refusal_at_most("text", [&] {
    const Value value = parse_yaml(text, "text");
    const std::string written = to_yaml(value);
    // An empty document has no lines; expanded aliases may exceed a file's limit.
    if (value.kind == Value::Kind::null || written.size() > 1'000'000) return;
    FT_CHECK(same(value, parse_yaml(written, "written")));
  });
  return 0;
}
