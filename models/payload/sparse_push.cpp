#include "models/payload/sparse_push.h"

#include "models/base/check.h"

#include <algorithm>
#include <cstring>

namespace foretrain {
namespace {

constexpr std::size_t kHead = 8;  // n, m

// Does not stop at the first error, so that the compiler can vectorise it.
bool ascending_below(std::span<const std::uint32_t> indices, std::int64_t count) {
  unsigned wrong = 0;
  for (std::size_t i = 1; i < indices.size(); ++i) wrong |= indices[i - 1] >= indices[i] ? 1U : 0U;
  return wrong == 0 && (indices.empty() || indices.back() < count);
}

// Payloads begin at a multiple of 4 bytes, and these contain words only.
const std::uint32_t* words_of(const Payload& push) {
  return reinterpret_cast<const std::uint32_t*>(push.bytes().data());
}

struct Head {
  std::size_t touched = 0;
  std::size_t wanted = 0;
  bool all = false;
};
Head head_of(const Payload& push) {
  const std::uint32_t* const words = words_of(push);
  const bool all = words[1] == SparsePush::kAll;
  return {words[0], all ? 0 : words[1], all};
}

template <class T>
void append(std::span<std::byte>& to, std::span<const T> from) {
  if (from.empty()) return;
  std::memcpy(to.data(), from.data(), from.size_bytes());
  to = to.subspan(from.size_bytes());
}

}  // namespace

Payload encode(const SparsePush& push) {
  FT_CHECK_OP(push.touched.size(), ==, push.gradient.size());
  Payload payload = Payload::allocate(push_size(push.listed()));
  std::span<std::byte> to = payload.writable_bytes();
  const std::uint32_t head[2] = {
      static_cast<std::uint32_t>(push.touched.size()),
      push.all ? SparsePush::kAll : static_cast<std::uint32_t>(push.wanted.size())};
  append(to, std::span<const std::uint32_t>(head));
  append(to, push.touched);
  append(to, push.gradient);
  append(to, push.wanted);
  return payload;
}

std::optional<SparsePush> decode(const Payload& push, std::int64_t count) {
  const std::size_t size = push.bytes().size();
  if (size < kHead || size % 4 != 0) return std::nullopt;
  const Head head = head_of(push);
  if (size / 4 != 2 + 2 * head.touched + head.wanted) return std::nullopt;
  const SparsePush parts = parts_of(push);
  if (!ascending_below(parts.touched, count) || !ascending_below(parts.wanted, count)) {
    return std::nullopt;
  }
  return parts;
}

SparsePush parts_of(const Payload& push) {
  const Head head = head_of(push);
  const std::uint32_t* const lists = words_of(push) + 2;
  SparsePush parts;
  parts.touched = {lists, head.touched};
  parts.gradient = push.floats().subspan(2 + head.touched, head.touched);
  parts.all = head.all;
  parts.wanted = {lists + 2 * head.touched, head.wanted};
  return parts;
}

}  // namespace foretrain
