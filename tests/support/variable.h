// A variable of the environment, another one for a test.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

namespace foretrain::testing {

/// It is as it was, once the test is over. For tests alone whose other threads ask for none.
class Variable {
 public:
  /// Empty: it is taken away.
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

/// That which names the scenario library.
inline constexpr const char* kLibraryVariable = "FORETRAIN_LIBRARY";

}  // namespace foretrain::testing
