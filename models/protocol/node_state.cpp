#include "models/protocol/node_state.h"

#include <bit>
#include <cstring>

namespace foretrain {
namespace {

static_assert(std::endian::native == std::endian::little, "states are little-endian");

}  // namespace

void StateWriter::integer(std::int64_t value) {
  bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void StateWriter::number(double value) { integer(std::bit_cast<std::int64_t>(value)); }

void StateWriter::floats(std::span<const float> values) {
  integer(std::ssize(values));
  bytes_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
}

std::string_view StateReader::take(std::size_t size) {
  if (left_.size() < size) throw StateError("it is truncated");
  const std::string_view taken = left_.substr(0, size);
  left_.remove_prefix(size);
  return taken;
}

std::int64_t StateReader::integer() {
  std::int64_t value = 0;
  std::memcpy(&value, take(sizeof value).data(), sizeof value);
  return value;
}

std::int64_t StateReader::integer(std::int64_t least, std::int64_t most) {
  const std::int64_t value = integer();
  if (value < least || value > most) throw StateError("it has a number that is out of range");
  return value;
}

double StateReader::number() { return std::bit_cast<double>(integer()); }

void StateReader::floats(std::span<float> values) {
  if (integer() != std::ssize(values)) throw StateError("it has another number of parameters");
  const std::string_view taken = take(values.size_bytes());
  if (!values.empty()) std::memcpy(values.data(), taken.data(), taken.size());
}

void StateReader::end() const {
  if (!left_.empty()) throw StateError("it has bytes after its end");
}

}  // namespace foretrain
