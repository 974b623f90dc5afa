// Text for a terminal: widths in characters, figures with few digits.
#include "reports/record/wrapped_text.h"

#include "reports/show/terminal/case_text.h"
#include "reports/show/terminal/progress.h"

#include <catch2/catch.hpp>

#include <limits>

namespace foretrain {

TEST_CASE("terminal text: characters count, not bytes") {
  CHECK(columns_of("± 1 %") == 5);
  CHECK(left("±", 3) == "±  ");
  CHECK(right("±", 3) == "  ±");
  CHECK(left("äöüäöü", 5) == "äö...");
}

TEST_CASE("terminal text: lines break at spaces, overlong words anywhere") {
  CHECK(wrap("one two") == "one two\n");
  const std::string half(50, 'a');
  CHECK(wrap(half + " " + half) == half + "\n" + half + "\n");
  CHECK(wrap(std::string(100, 'b')) == std::string(80, 'b') + "\n" + std::string(20, 'b') + "\n");
  CHECK(wrap("").empty());
}

TEST_CASE("terminal text: what is left of a long line hangs, others stay") {
  const std::string half(45, 'a');
  CHECK(hang("name  " + half + " " + half + "\n  short\n", 6) ==
        "name  " + half + "\n      " + half + "\n  short\n");
  CHECK(hang("  " + std::string(100, 'b'), 2) == "  " + std::string(100, 'b') + "\n");
}

TEST_CASE("progress: a line fits the terminal whatever its name or its figures") {
  using namespace literals;
  CHECK(progress_line("run sync", 250, 1'000, 1'500, 2_s, true) ==
        "run sync [####............]  25 %, 250/1000 steps, 1500/s, at 2.0 s, 0 s left");
  CHECK(progress_line("run sync", 250, 1'000, 100, 2_s, false) ==
        "run sync:  25 %, 250/1000 steps, 100/s, at 2.0 s, 8 s left");
  CHECK(progress_line("whatif", 3, 35, 0.5, {}, false, kTerminalColumns, "changes") ==
        "whatif:   9 %, 3 of 35 changes, 64 s left");
  for (const bool bar : {false, true}) {
    const std::string wide =
        progress_line(std::string(90, 'n'), 123'456'789, 1'000'000'000, 1e6, 100'000_s, bar);
    CAPTURE(wide);
    CHECK(columns_of(wide) < kTerminalColumns);
  }
}

TEST_CASE("terminal text: names in a list, of many the first ones") {
  CHECK(listed({"a"}) == "a");
  CHECK(listed({"a", "b"}) == "a and b");
  CHECK(listed({"a", "b", "c"}) == "a; b and c");
  CHECK(listed({"a", "b", "c", "d", "e"}) == "a; b; c and 2 more");
}

TEST_CASE("terminal text: what something costs has its currency") {
  CHECK(cost_text(12.5, "USD") == "12.50 USD");
  CHECK(cost_text(0.00125, "EUR") == "0.00125 EUR");
  CHECK(cost_text(3.0, "") == "3.00");
  CHECK(cost_text(1'634'599.2, "USD") == "1,634,599 USD");
  CHECK(cost_text({}, "USD") == "-");
}

TEST_CASE("machine sentence: models, messages, the figure that is least sure") {
  Machine machine;
  CHECK(machine_sentence(machine) == "No model was measured.");
  machine.models["softmax 784x10"].gradient = {1e-3, 1e-5};
  machine.loopback.send.overhead_s = 2e-6;
  machine.loopback.receive.overhead_s = 3e-6;
  machine.measurements = {{"loopback.send", 0.01, 5}, {"apply", 0.2, 5}};
  CHECK(machine_sentence(machine) ==
        "A gradient of 64 examples takes: softmax 784x10 1.64 ms; a message costs 5 us of CPU; "
        "least certain: apply, ± 20.0 %.");
}

TEST_CASE("terminal text: figures have four digits, unknown ones a dash") {
  CHECK(figure(0.123456) == "0.1235");
  CHECK(figure(999.94) == "999.9");
  CHECK(figure(1234.6) == "1,235");
  CHECK(figure(12345678) == "12,345,678");
  CHECK(figure(-12345.6) == "-12,346");
  CHECK(figure(std::nullopt) == "-");
  CHECK(figure(std::numeric_limits<double>::quiet_NaN()) == "-");
  CHECK(grouped(-123) == "-123");
  CHECK(grouped(1000) == "1,000");
}

TEST_CASE("terminal text: percentages carry their sign, zero is positive") {
  CHECK(signed_percent(-0.031) == "-3.1 %");
  CHECK(signed_percent(0.5) == "+50.0 %");
  CHECK(signed_percent(-0.0001) == "+0.0 %");
  CHECK(signed_percent(std::nullopt) == "-");
  CHECK(signed_percent(33.999) == "35 x");
  CHECK(signed_percent(-33.999) == "35 x as long");
}

}  // namespace foretrain
