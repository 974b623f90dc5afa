// The variable that names the scenario library, taken away for a test.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace foretrain {

/// The variable as it was, once the test is over.
class NoLibraryVariable {
 public:
  NoLibraryVariable() {
    if (const char* value = std::getenv("FORETRAIN_LIBRARY")) before_ = value;
    unsetenv("FORETRAIN_LIBRARY");
  }
  NoLibraryVariable(const NoLibraryVariable&) = delete;
  NoLibraryVariable& operator=(const NoLibraryVariable&) = delete;
  ~NoLibraryVariable() {
    if (before_) {
      setenv("FORETRAIN_LIBRARY", before_->c_str(), 1);
    } else {
      unsetenv("FORETRAIN_LIBRARY");
    }
  }
  static void set(const std::string& value) { setenv("FORETRAIN_LIBRARY", value.c_str(), 1); }

 private:
  std::optional<std::string> before_;
};

}  // namespace foretrain
