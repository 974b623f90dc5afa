// Numbers among the bytes of a file: little-endian, bounds checked.
#pragma once

#include "scenarios/input_error.h"

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace foretrain {

static_assert(std::endian::native == std::endian::little);

/// So many bytes from `first`. @throws BadValue: the file is shorter
inline std::string_view bytes_at(std::string_view text, std::uint64_t first, std::uint64_t count) {
  if (first > text.size() || count > text.size() - first) {
    throw BadValue(fmt::format("it is cut short: {} bytes at {} of {}", count, first, text.size()));
  }
  return text.substr(first, count);
}

template <class Number>
Number number_at(std::string_view text, std::uint64_t first) {
  static_assert(std::is_integral_v<Number>);
  Number number;
  std::memcpy(&number, bytes_at(text, first, sizeof number).data(), sizeof number);
  return number;
}

template <class Number>
void append_number(std::string& text, Number number) {
  text.append(reinterpret_cast<const char*>(&number), sizeof number);
}

inline std::vector<float> floats_of(std::string_view bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
  return values;
}

}  // namespace foretrain
