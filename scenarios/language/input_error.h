// The exception for bad input.
#pragma once

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>

namespace foretrain {

/// Bad input: the message says where (file, line, column, key), what, and what to do about it.
/// Caught once, in `main`.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What is wrong with one value, said without its place: whoever knows the place adds it.
class BadValue : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  BadValue(const std::string& what, std::size_t item) : runtime_error(what), item_(item) {}

  /// The item that is to blame, where the value is a list.
  [[nodiscard]] std::optional<std::size_t> item() const { return item_; }

 private:
  std::optional<std::size_t> item_;
};

}  // namespace foretrain
