// What the fuzz targets share: bytes that a reader either reads or refuses.
#pragma once

#include "models/data/data_error.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace foretrain::fuzz {

/// Calls `read`, which may find its data wrong. Whatever else it throws ends the program, which is
/// what the fuzzer looks for.
template <class Read>
void expect_data_error_at_most(Read read) {
  try {
    read();
  } catch (const DataError&) {  // as it should be
  }
}

inline std::span<const std::uint8_t> bytes_of(const std::uint8_t* data, std::size_t size) {
  return {data, size};
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace foretrain::fuzz

/// The entry point that libFuzzer calls.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
