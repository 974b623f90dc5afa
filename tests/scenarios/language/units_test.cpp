// Quantities with their units.
#include "scenarios/language/units.h"

#include "models/base/random.h"
#include "tests/scenarios/messages.h"

#include <cmath>
#include <cstring>
#include <regex>

using namespace foretrain;

TEST_CASE("units: rates are bytes a second, whichever way they are written") {
  CHECK(parse_rate("10 Gbps").value == 1.25e9);
  CHECK(parse_rate("10Gbps").value == 1.25e9);
  CHECK(parse_rate("100 Mbit/s").value == 12.5e6);
  CHECK(parse_rate("1.25 GB/s").value == 1.25e9);
  CHECK(parse_rate("1e3 Mbps").value == 1.25e8);
  CHECK(parse_rate("2 MiB/s").value == 2097152.0);
  CHECK(parse_rate("10 GbE").value == 1.25e9);
  CHECK(parse_rate("100GbE").value == 12.5e9);
  CHECK(parse_rate("10 Gb/s").value == 1.25e9);
  CHECK(parse_rate("10 GB/s").value == 10e9);
}

TEST_CASE("units: durations are whole nanoseconds") {
  CHECK(parse_duration("30 us").ns == 30'000);
  CHECK(parse_duration("2.5 ms").ns == 2'500'000);
  CHECK(parse_duration("1 s").ns == 1'000'000'000);
  CHECK(parse_duration("0 s").ns == 0);
  CHECK(parse_duration("7 \u00b5s").ns == 7'000);
  CHECK(parse_duration("9223372036.854775807 s").ns == INT64_MAX);
  CHECK(parse_duration("1.5 min").ns == 90'000'000'000);
  CHECK(parse_duration("6 h").ns == 6 * 3'600'000'000'000);
  CHECK(parse_duration("2562047 h").ns == 2'562'047 * 3'600'000'000'000);
  CHECK(error_of([] { parse_duration("2562048 h"); }).find("longer than 292 years") !=
        std::string::npos);
  CHECK(parse_seconds("2 min") == 120);
}

TEST_CASE("units: sizes know decimal prefixes from binary ones") {
  CHECK(parse_bytes("25 MB").value == 25'000'000);
  CHECK(parse_bytes("64 KiB").value == 65'536);
  CHECK(parse_bytes("1 MiB").value == 1'048'576);
  CHECK(parse_bytes("1.5 KiB").value == 1'536);
  CHECK(parse_bytes("3 KB").value == parse_bytes("3 kB").value);
}

TEST_CASE("units: a share is in per cent") {
  CHECK(parse_share("1 %") == 0.01);
  CHECK(parse_share("12.5%") == 0.125);
  CHECK(share_to_text(0.125) == "12.5 %");
  CHECK(share_to_text(1) == "100 %");
  CHECK(std::regex_match("1 %", std::regex(share_pattern())));
  CHECK(error_of([] { parse_share("3"); }) == "3 has no unit; write for instance 3 %");
}

TEST_CASE("units: a price is per hour in the currency that stands there or in any") {
  CHECK(parse_price("2.50 per hour") == Price{2.5, ""});
  CHECK(parse_price("0.048/h") == Price{0.048, ""});
  CHECK(parse_price("3.06 $/h") == Price{3.06, "USD"});
  CHECK(parse_price("0.90 EUR/h") == Price{0.9, "EUR"});
  CHECK(parse_price("12.24 USD per hour") == Price{12.24, "USD"});
  CHECK(parse_price("7\u20ac/hour") == Price{7, "EUR"});
  CHECK(parse_price("1.5e1 CHF/h") == Price{15, "CHF"});
  CHECK(parse_price("20 MXN per hour") == Price{20, "MXN"});
  CHECK(price_to_text({2.5, ""}) == "2.5 per hour");
  CHECK(price_to_text({0.048, ""}) == "0.048 per hour");
  CHECK(price_to_text({3.06, "USD"}) == "3.06 USD per hour");
  for (const char* text : {"3.06 $/h", "0.90 EUR/h", "12.24 USD per hour", "2.5/h"}) {
    CAPTURE(text);
    CHECK(std::regex_match(text, std::regex(price_pattern())));
    CHECK(parse_price(price_to_text(parse_price(text))) == parse_price(text));
  }
  CHECK_FALSE(std::regex_match("3 dollars per hour", std::regex(price_pattern())));
  CHECK(error_of([] { parse_price("3 USD"); }) ==
        "3 has no unit; write for instance 3 USD per hour");
  CHECK(error_of([] { parse_price("3 usd/h"); }) == "usd/h is no unit here; use one of per hour");
  CHECK(std::regex_match("2.50 per hour", std::regex(price_pattern())));
  CHECK(error_of([] { parse_price("3"); }) == "3 has no unit; write for instance 3 per hour");
  CHECK(error_of([] { parse_price("3 per day"); }) ==
        "per day is no unit here; use one of per hour");
}

TEST_CASE("units: money is read as people write it, in prices and alone") {
  using Amount = std::pair<double, std::string>;
  CHECK(parse_money("20k") == Amount{20'000, ""});
  CHECK(parse_money("$20,000") == Amount{20'000, "USD"});
  CHECK(parse_money("20,000 USD") == Amount{20'000, "USD"});
  CHECK(parse_money(" 1,234,567.5 EUR ") == Amount{1'234'567.5, "EUR"});
  CHECK(parse_money("\u20ac 1.5M") == Amount{1'500'000, "EUR"});
  for (const char* text : {"", "USD", "0", "-5", "2,50", "20 k$ x", "20 dollars", "1e999", "nan"}) {
    CAPTURE(text);
    CHECK(error_of([&] { parse_money(text); }).starts_with("is no amount of money above 0; "));
  }
  for (const char* text : {"$3.06/h", "USD 3.06 per hour", "3.06 $/h"}) {
    CAPTURE(text);
    CHECK(parse_price(text) == Price{3.06, "USD"});
    CHECK(std::regex_match(text, std::regex(price_pattern())));
  }
  CHECK(parse_price("1,200 EUR/h") == Price{1'200, "EUR"});
  CHECK(parse_price("1.2k EUR/h") == Price{1'200, "EUR"});
  CHECK(std::regex_match("1,200 EUR/h", std::regex(price_pattern())));
}

TEST_CASE("units: a number stands before or behind a name, apart from it") {
  using Several = std::pair<std::string_view, std::string_view>;
  for (const char* text : {"4 x dgx-1", "4x dgx-1", " dgx-1 x 4 ", "dgx-1x4", "4 dgx-1"}) {
    CAPTURE(text);
    CHECK(parse_several(text) == Several{"dgx-1", "4"});
  }
  for (const char* text : {"dgx1", "rtx4090-8", "p5.48xlarge", "x", "3 of mine", "4", ""}) {
    CAPTURE(text);
    CHECK(parse_several(text) == Several{text, ""});
  }
  CHECK(parse_several("2 x rtx4090-8") == Several{"rtx4090-8", "2"});
  CHECK(parse_several("4 x dgx1") == Several{"dgx1", "4"});
  CHECK(parse_several("2 xl170") == Several{"xl170", "2"});
  CHECK(parse_several("2 x xl170") == Several{"xl170", "2"});
}

TEST_CASE("units: a bare number proposes a unit with the same number") {
  CHECK(error_of([] { parse_rate("10"); }) == "10 has no unit; write for instance 10 Gbps");
  CHECK(error_of([] { parse_duration("30"); }) == "30 has no unit; write for instance 30 us");
  CHECK(error_of([] { parse_bytes("2.5"); }) == "2.5 has no unit; write for instance 2.5 MB");
}

TEST_CASE("units: an unknown unit is told those that fit") {
  CHECK(error_of([] { parse_duration("3 parsec"); }) ==
        "parsec is no unit here; use one of s, ms, us, ns, ps, min, h, d");
  CHECK(error_of([] { parse_rate("10 GBPS"); }) == "GBPS is no unit; did you mean 10 Gbps?");
  CHECK(error_of([] { parse_bytes("10 Gbps"); }).find("use one of B, kB, MB") != std::string::npos);
}

TEST_CASE("units: a count may be in thousands, millions, billions") {
  CHECK(parse_count("110M") == 110'000'000);
  CHECK(parse_count("1.5 k") == 1'500);
  CHECK(parse_count("175B") == 175'000'000'000);
  CHECK(parse_count("25557032") == 25'557'032);
  CHECK(parse_count("25.5e6") == 25'500'000);
  for (const char* text : {"", "M", "-1", "0", "1.5", "0.5 k ", "1e30", "ten"}) {
    INFO(text);
    CHECK(error_of([&] { parse_count(text); }) != "(no error)");
  }
  CHECK(error_of([] { parse_count("110 m"); }) == "m is no unit; did you mean 110 M?");
}

TEST_CASE("units: of half a unit those are proposed that begin with it") {
  CHECK(error_of([] { parse_rate("10G"); }) ==
        "G is no unit; did you mean 10 Gbps, or 10 Gbit/s, or 10 GB/s, or 10 GiB/s?");
  CHECK(error_of([] { parse_bytes("25 M"); }) == "M is no unit; did you mean 25 MB, or 25 MiB?");
  CHECK(error_of([] { parse_duration("5m"); }) == "m is no unit; did you mean 5 ms, or 5 min?");
}

TEST_CASE("units: of a number that is cut short the whole is proposed") {
  CHECK(scenario_error("foretrain: 1\ntraining: {steps: 10k}\n") ==
        "x.yaml:2:19: training.steps: '10k' is not a number; did you mean 10e3?");
  CHECK(scenario_error("foretrain: 1\ntraining: {steps: 1.5 M}\n") ==
        "x.yaml:2:19: training.steps: '1.5 M' is not a number; did you mean 1.5e6?");
  CHECK(scenario_error("foretrain: 1\ntraining: {steps: ten}\n") ==
        "x.yaml:2:19: training.steps: 'ten' is not a number; write a whole number");
  CHECK(scenario_error("foretrain: 1\ntraining: {epochs: 2x}\n") ==
        "x.yaml:2:20: training.epochs: '2x' is not a number; write one");
  CHECK(only("foretrain: 1\ntraining: {steps: 1.5e6}\n").training.steps == 1'500'000);
}

TEST_CASE("units: what no quantity can be is refused") {
  for (const char* text : {"-1 Gbps", "nan Gbps", ".inf Gbps", "", "Gbps", "1e999 Gbps", "1 2 Gbps",
                           "0x10 Gbps", "- 1 Gbps", "1. . Gbps"}) {
    INFO(text);
    CHECK(error_of([&] { parse_rate(text); }) != "(no error)");
  }
  for (const char* text : {"0.5 ns", "1 ps", "1e30 s", "9223372036.854775808 s", "-1 s", "nan s"}) {
    INFO(text);
    CHECK(error_of([&] { parse_duration(text); }) != "(no error)");
  }
  for (const char* text : {"0.5 B", "0.1 KiB", "1e30 GB", "9000000000 GiB", "-1 B", "8 bit"}) {
    INFO(text);
    CHECK(error_of([&] { parse_bytes(text); }) != "(no error)");
  }
}

TEST_CASE("units: seconds keep fractions of a nanosecond") {
  CHECK(parse_seconds("12.25 ns") == 12.25e-9);
  CHECK(parse_seconds("0.512 us") == 0.512e-6);
  CHECK(parse_seconds("0 s") == 0.0);
}

TEST_CASE("units: quantities are written in the unit that people would use") {
  CHECK(to_text(BytesPerSecond{1.25e9}) == "10 Gbps");
  CHECK(to_text(BytesPerSecond{12.5e6}) == "100 Mbps");
  CHECK(to_text(Duration{30'000}) == "30 us");
  CHECK(to_text(Duration{2'500'000}) == "2.5 ms");
  CHECK(to_text(Duration{0}) == "0 s");
  CHECK(to_text(Bytes{25'000'000}) == "25 MB");
  CHECK(to_text(Bytes{65'536}) == "64 KiB");
  CHECK(to_text(Bytes{0}) == "0 B");
  CHECK(seconds_to_text(12.25e-9) == "12.25 ns");
  CHECK(seconds_to_text(0.12e-9) == "120 ps");
}

TEST_CASE("units: every quantity reads back as the same bits") {
  const std::uint64_t seed = 20'261'120;
  INFO("seed " << seed);
  Stream stream(seed, "test.units");
  for (int i = 0; i < 20'000; ++i) {
    const auto whole = static_cast<std::int64_t>(stream.bits() >> (1 + stream.below(62)));
    CHECK(parse_duration(to_text(Duration{whole})).ns == whole);
    CHECK(parse_bytes(to_text(Bytes{whole})).value == whole);
    const double any = std::ldexp(stream.uniform() + 0.5, static_cast<int>(stream.below(120)) - 60);
    CHECK(parse_rate(to_text(BytesPerSecond{any})).value == any);
    CHECK(parse_seconds(seconds_to_text(any)) == any);
  }
}

TEST_CASE("units: the schema's patterns match what is written") {
  CHECK(std::regex_match(to_text(BytesPerSecond{1.25e9}), std::regex(rate_pattern())));
  CHECK(std::regex_match("1.5e3 KiB", std::regex(bytes_pattern())));
  CHECK(std::regex_match(seconds_to_text(1e-30), std::regex(duration_pattern())));
  CHECK_FALSE(std::regex_match("10", std::regex(rate_pattern())));
}
