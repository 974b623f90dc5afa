// The state of a node as bytes.
#pragma once

#include "models/base/quantity.h"
#include "models/base/time.h"

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace foretrain {

/// The state does not fit the training: too short, too long, or of other parameters.
class StateError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline constexpr const char* kNoCut = "its counters fit no checkpoint of this training";

/// Writes numbers one after another, little-endian, each array after its length. There are no
/// names: only the build that wrote a state reads it, as the head of its file ensures.
class StateWriter {
 public:
  void integer(std::int64_t value);
  void number(double value);
  void time(Duration value) { integer(value.ns); }
  void time(Instant value) { integer(value.ns); }
  void floats(std::span<const float> values);

  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Each call reads what the same call of the writer wrote. @throws StateError if the state does not
/// contain it
class StateReader {
 public:
  explicit StateReader(std::string_view bytes) : left_(bytes) {}

  std::int64_t integer();
  /// An integer from `least` to `most`.
  std::int64_t integer(std::int64_t least, std::int64_t most);
  double number();
  Duration duration() { return {integer()}; }
  Instant instant() { return {integer()}; }
  void floats(std::span<float> values);
  /// Checks that the state ends here.
  void end() const;

 private:
  std::string_view take(std::size_t size);

  std::string_view left_;
};

/// The size of a state with these numbers of integers (or doubles), floats and arrays of floats.
constexpr Bytes state_size(std::int64_t integers, std::int64_t floats, std::int64_t arrays) {
  return {8 * (integers + arrays) + 4 * floats};
}

}  // namespace foretrain
