// Fuzzes the Criteo reader.
#include "models/data/criteo.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/sparse_checks.h"

#include <algorithm>
#include <string>

using namespace foretrain;
using namespace foretrain::fuzz;

/// Reads the text as it is, then with each line extended to 40 fields, which are unlikely.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = text_of(data, size);
  expect_data_error_at_most([&] { check_sparse(*parse_criteo(text, "text", 12)); });
  std::string filled;
  std::ptrdiff_t tabs = 0;
  for (const char c : text) {
    if (c == '\n') {
      filled.append(static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, kCriteoFields - 1 - tabs)),
                    '\t');
      tabs = -1;
    }
    tabs += c == '\t' || c == '\n' ? 1 : 0;
    filled += c;
  }
  expect_data_error_at_most([&] { check_sparse(*parse_criteo(filled, "text", 12)); });
  return 0;
}
