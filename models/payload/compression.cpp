#include "models/payload/compression.h"

#include "models/base/check.h"
#include "models/cost/work.h"
#include "models/payload/sparse_push.h"
#include "models/tensor/half.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

namespace foretrain {
namespace {

std::int64_t sent_of(const Compression& compression, std::int64_t count) {
  const double share = compression.share * static_cast<double>(count);
  return std::clamp<std::int64_t>(std::llround(share), 1, count);
}

Payload halves_of(std::span<const float> gradient) {
  Payload push = Payload::allocate({2 * std::ssize(gradient)});
  std::byte* to = push.writable_bytes().data();
  for (const float number : gradient) {
    const std::uint16_t half = to_half(number);
    std::memcpy(to, &half, sizeof half);
    to += sizeof half;
  }
  return push;
}

void widen(std::span<const std::byte> halves, std::span<float> to) {
  const std::byte* from = halves.data();
  for (float& number : to) {
    std::uint16_t half = 0;
    std::memcpy(&half, from, sizeof half);
    number = from_half(half);
    from += sizeof half;
  }
}

// Larger means a larger number, or NaN: without a total order a sort would not end.
std::uint32_t magnitude(float number) {
  return std::bit_cast<std::uint32_t>(number) & 0x7FFF'FFFFU;
}

// The places of the `sent` largest numbers, ascending.
std::vector<std::uint32_t> places_of_largest(std::span<const float> numbers, std::int64_t sent) {
  std::vector<std::uint32_t> order(numbers.size());
  std::ranges::transform(numbers, order.begin(), magnitude);
  const auto last = order.begin() + (sent - 1);
  std::nth_element(order.begin(), last, order.end(), std::greater<>());
  const std::uint32_t least = *last;
  // Numbers before `last` are at least as large; the remaining places go to the first of that size.
  std::int64_t equal = std::count(order.begin(), last + 1, least);
  std::vector<std::uint32_t> places;
  places.reserve(static_cast<std::size_t>(sent));
  for (std::uint32_t i = 0; i < numbers.size(); ++i) {
    const std::uint32_t size = magnitude(numbers[i]);
    if (size > least || (size == least && equal-- > 0)) places.push_back(i);
  }
  return places;
}

Payload largest_of(std::span<const float> gradient, std::span<float> rest, std::int64_t sent) {
  FT_CHECK_OP(rest.size(), ==, gradient.size());
  for (std::size_t i = 0; i < rest.size(); ++i) rest[i] += gradient[i];
  const std::vector<std::uint32_t> places = places_of_largest(rest, sent);
  std::vector<float> numbers;
  numbers.reserve(places.size());
  for (const std::uint32_t place : places) numbers.push_back(std::exchange(rest[place], 0.0F));
  return encode({.touched = places, .gradient = numbers, .all = true, .wanted = {}});
}

bool put_in_place(const Payload& push, std::span<float> to) {
  const auto parts = decode(push, std::ssize(to));
  if (!parts || !parts->all) return false;
  std::ranges::fill(to, 0.0F);
  for (std::size_t i = 0; i < parts->touched.size(); ++i) {
    to[parts->touched[i]] = parts->gradient[i];
  }
  return true;
}

}  // namespace

Bytes compressed_size(const Compression& compression, std::int64_t count) {
  if (compression.kind == "fp16") return {2 * count};
  if (compression.kind == "topk") return push_size({sent_of(compression, count), 0});
  if (!compression.wanted()) return {4 * count};
  const double size = static_cast<double>(4 * count) / compression.ratio;
  return {std::max<std::int64_t>(1, std::llround(size))};
}

Payload compress(const Compression& compression, const Payload& gradient, std::span<float> rest) {
  const std::int64_t count = gradient.size().value / 4;
  if (!gradient.has_bytes()) return Payload::sized(compressed_size(compression, count));
  FT_CHECK(!compression.only_sizes());
  if (compression.kind == "fp16") return halves_of(gradient.floats());
  return largest_of(gradient.floats(), rest, sent_of(compression, count));
}

std::optional<Payload> expand(const Compression& compression, const Payload& push,
                              std::int64_t count) {
  if (push.size() != compressed_size(compression, count)) return std::nullopt;
  if (!push.has_bytes()) return Payload::sized({4 * count});
  FT_CHECK(!compression.only_sizes());
  Payload gradient = Payload::allocate({4 * count});
  if (compression.kind == "fp16") {
    widen(push.bytes(), gradient.writable_floats());
  } else if (!put_in_place(push, gradient.writable_floats())) {
    return std::nullopt;
  }
  return gradient;
}

Cost compress_cost(const Compression& compression, std::int64_t count) {
  Cost cost;
  if (compression.encode_s > 0 || compression.only_sizes()) {
    cost.measured = Duration::from_seconds(compression.encode_s * 4 * static_cast<double>(count));
    return cost;
  }
  return compress_cost(count, compressed_size(compression, count), compression.keeps_rest());
}

Cost expand_cost(const Compression& compression, std::int64_t count) {
  if (compression.encode_s > 0 || compression.only_sizes()) {
    return compress_cost(compression, count);
  }
  return expand_cost(count, compressed_size(compression, count));
}

}  // namespace foretrain
