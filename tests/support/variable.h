// An environment variable, changed for a test.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

namespace foretrain::testing {

/// Restores the variable at the end. Only for tests whose other threads do not read the
/// environment.
class Variable {
 public:
  /// An empty value removes the variable.
  explicit Variable(std::string name, const std::string& value = "") : name_(std::move(name)) {
    if (const char* before = std::getenv(name_.c_str())) before_ = before;
    set(value);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { set(before_.value_or("")); }

  void set(const std::string& value) const {
    if (value.empty()) {
      unsetenv(name_.c_str());
    } else {
      setenv(name_.c_str(), value.c_str(), 1);
    }
  }

 private:
  std::string name_;
  std::optional<std::string> before_;
};

/// The variable with the folder of the scenario library.
inline constexpr const char* kLibraryVariable = "FORETRAIN_LIBRARY";

}  // namespace foretrain::testing
