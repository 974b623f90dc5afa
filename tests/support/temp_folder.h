// What the tests of data files share: a folder to write in, the words of an error.
#pragma once

#include "models/data/data_error.h"

#include <stdlib.h>

#include <filesystem>
#include <string>

namespace foretrain {

/// A folder of its own, gone with the test.
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

/// What the action says is wrong with its data; empty where it finds no fault.
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
