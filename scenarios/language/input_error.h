// The exception for bad input.
#pragma once

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>

namespace foretrain {

/// Bad input. The message names the place (file, line, column, key), the problem, and the remedy.
/// Caught once, in `main`.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A problem with one value, without its place; a caller that knows the place adds it.
class BadValue : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  BadValue(const std::string& what, std::size_t item) : runtime_error(what), item_(item) {}

  /// The index of the bad item, if the value is a list.
  [[nodiscard]] std::optional<std::size_t> item() const { return item_; }

 private:
  std::optional<std::size_t> item_;
};

}  // namespace foretrain
