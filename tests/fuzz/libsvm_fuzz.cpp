// Fuzzes the LIBSVM reader.
#include "models/data/libsvm.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/sparse_checks.h"

using namespace foretrain;
using namespace foretrain::fuzz;

/// Uses few bits, so that features are hashed, then many.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const int hash_bits : {3, 30}) {
    expect_data_error_at_most([&] {
      LibsvmOptions options;
      options.hash_bits = hash_bits;
      check_sparse(*parse_libsvm(text_of(data, size), "text", options));
    });
  }
  return 0;
}
