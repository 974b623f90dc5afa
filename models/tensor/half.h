// Numbers in 16 bits: IEEE 754 binary16.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace foretrain {

/// The largest finite half.
inline constexpr float kMostHalf = 65504.0F;

/// The nearest half, ties to even. A finite number above the largest half stays finite: one large
/// gradient is limited to +-65504, and does not end the training. Infinity stays infinity, NaN
/// stays NaN.
constexpr std::uint16_t to_half(float number) {
  const auto bits = std::bit_cast<std::uint32_t>(number);
  const std::uint32_t sign = bits >> 16 & 0x8000U;
  const std::uint32_t size = bits & 0x7FFF'FFFFU;
  std::uint32_t half = 0;
  if (size > 0x7F80'0000U) {
    half = 0x7E00U;
  } else if (size == 0x7F80'0000U) {
    half = 0x7C00U;
  } else if (size >= std::bit_cast<std::uint32_t>(kMostHalf)) {
    half = 0x7BFFU;
  } else if (size < 0x3880'0000U) {
    // Below 2^-14 halves are 2^-24 apart, as floats are from 0.5 on: the sum rounds.
    half = std::bit_cast<std::uint32_t>(std::bit_cast<float>(size) + 0.5F) - 0x3F00'0000U;
  } else {
    half = (size - 0x3800'0000U + 0xFFFU + (size >> 13 & 1U)) >> 13;
  }
  return static_cast<std::uint16_t>(sign | half);
}

/// The same number, exactly.
constexpr float from_half(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000U) << 16;
  const std::uint32_t size = half & 0x7FFFU;
  std::uint32_t bits = 0;
  if (size >= 0x7C00U) {
    bits = 0x7F80'0000U | (size & 0x3FFU) << 13;
  } else if (size >= 0x400U) {
    bits = (size << 13) + 0x3800'0000U;
  } else {
    bits = std::bit_cast<std::uint32_t>(static_cast<float>(size) * 0x1p-24F);
  }
  return std::bit_cast<float>(sign | bits);
}

}  // namespace foretrain
