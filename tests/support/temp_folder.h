// Shared helpers for tests of data files: a temporary folder, error messages.
#pragma once

#include "models/data/data_error.h"

#include <stdlib.h>

#include <filesystem>
#include <string>

namespace foretrain {

/// A temporary folder, removed with this object.
class TempFolder {
 public:
  TempFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "foretrain-data-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder " + name);
    path_ = name;
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// The message of the DataError that the action throws; empty if it throws none.
template <class Action>
std::string complaint(Action action) {
  try {
    action();
  } catch (const DataError& error) {
    return error.what();
  }
  return {};
}

}  // namespace foretrain
