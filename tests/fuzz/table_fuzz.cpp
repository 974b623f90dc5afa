// Fuzzes the readers of users' tables, one at a time.
#include "models/base/check.h"
#include "reports/show/page/sections.h"
#include "reports/studies/ledger/ledger.h"
#include "reports/studies/measured/figures.h"
#include "scenarios/resolve/batch_times.h"
#include "scenarios/resolve/layer_profile.h"
#include "scenarios/resolve/stragglers.h"
#include "tests/fuzz/fuzz.h"

#include <array>
#include <cmath>
#include <string>

using namespace foretrain;
using namespace foretrain::fuzz;

namespace {

/// Reads factors with mean 1.
void trace(const std::string& path, const std::string& /*text*/) {
  for (const char* column : {"", "seconds"}) {
    expect_refusal_at_most(path, [&] {
      for (const auto& worker : read_trace(path, column).factors) {
        FT_CHECK(!worker.empty());
        for (const double factor : worker) FT_CHECK(std::isfinite(factor));
      }
    });
  }
}

void profile(const std::string& path, const std::string& text) {
  const NetworkProfile profile = parse_profile(text, path, 32);
  FT_CHECK(!profile.layers.empty());
}

void batch_times(const std::string& path, const std::string& /*text*/) {
  for (const auto& [examples, times] : read_batch_times(path)) {
    FT_CHECK_OP(examples, >, 0);
    FT_CHECK(!times.empty());
  }
}

void ledger(const std::string& path, const std::string& /*text*/) {
  const auto rows = read_ledger(path);
  newest_rows(rows);
  const std::string again = scratch_file("ledger_again", ledger_csv(rows));
  FT_CHECK_OP(ledger_csv(read_ledger(again)), ==, ledger_csv(rows));
}

void measured(const std::string& path, const std::string& /*text*/) {
  for (const MeasuredFigure& figure : read_figures(path, "mine.yaml")) {
    FT_CHECK(std::isfinite(figure.value));
  }
}

void sweep(const std::string& path, const std::string& text) {
  sweep_section(read_sweep(text, path));
}

constexpr std::array kReaders{trace, profile, batch_times, ledger, measured, sweep};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto [which, text] = chosen_of(text_of(data, size), kReaders.size());
  const std::string path = scratch_file("table", text);
  expect_refusal_at_most(
      path, [&, &text = text, &which = which] { kReaders[which](path, std::string(text)); });
  return 0;
}
