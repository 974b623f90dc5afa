// Fuzzes the CIFAR-10 reader.
#include "models/base/check.h"
#include "models/data/cifar10.h"
#include "tests/fuzz/fuzz.h"

#include <algorithm>
#include <vector>

using namespace foretrain;
using namespace foretrain::fuzz;

/// Reads the bytes as they are, then with each of the first bytes expanded to a record, because
/// complete records are unlikely.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto read = [](std::span<const std::uint8_t> file) {
    expect_data_error_at_most([&] {
      const Images images = parse_cifar10(file, "batch");
      FT_CHECK_OP(images.labels.size(), ==, static_cast<std::size_t>(images.examples));
      FT_CHECK_OP(images.pixels.size() + images.labels.size(), ==, file.size());
      for (const auto label : images.labels) FT_CHECK_OP(label, <, kCifarClasses);
    });
  };
  read(bytes_of(data, size));
  constexpr std::size_t kRecords = 8;  // more are slower, but find no more
  std::vector<std::uint8_t> stretched;
  stretched.reserve(kRecords * static_cast<std::size_t>(kCifarRecord));
  for (const std::uint8_t byte : bytes_of(data, std::min(size, kRecords))) {
    stretched.push_back(byte);
    stretched.resize(stretched.size() + static_cast<std::size_t>(kCifarRecord) - 1, byte);
  }
  read(stretched);
  return 0;
}
