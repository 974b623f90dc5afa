// One process writes into a folder at a time.
#pragma once

#include <filesystem>

namespace foretrain {

/// Holds a folder for this process. The kernel releases it when the process ends, however that
/// ends. The file `.lock` in the folder has the process that holds it; it is removed at the end.
class FolderLock {
 public:
  /// Makes the folder where it is absent (prepare_folder). @throws InputError that names the folder
  /// and the process that holds it, or as prepare_folder
  explicit FolderLock(const std::filesystem::path& folder);
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock();

 private:
  std::filesystem::path path_;
  int file_ = -1;
};

}  // namespace foretrain
