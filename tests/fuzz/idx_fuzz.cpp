// Fuzzes the IDX reader, plain or compressed.
#include "models/base/check.h"
#include "models/data/idx.h"
#include "tests/fuzz/fuzz.h"

#include <algorithm>

using namespace foretrain;
using namespace foretrain::fuzz;

/// The first byte gives the end of the image file, where the label file starts.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto file = bytes_of(data + 1, size - 1);
  const std::size_t cut = std::min<std::size_t>(data[0], file.size());
  expect_data_error_at_most([&] {
    const Images images =
        parse_idx(file.first(cut), "images", file.subspan(cut), "labels", kIdxClasses);
    FT_CHECK_OP(images.labels.size(), ==, static_cast<std::size_t>(images.examples));
    FT_CHECK_OP(images.pixels.size(), ==,
                images.labels.size() * static_cast<std::size_t>(images.features()));
    for (const auto label : images.labels) FT_CHECK_OP(label, <, kIdxClasses);
  });
  return 0;
}
