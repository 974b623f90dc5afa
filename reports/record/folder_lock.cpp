// A lock that lets one process write into a folder at a time.
#include "reports/record/files.h"
#include "scenarios/language/file_errors.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>

namespace foretrain {
namespace {

/// `process 4711 on node0`, as written by the holder of the lock.
std::string holder_in(int file) {
  std::array<char, 300> text{};
  const ssize_t size = pread(file, text.data(), text.size(), 0);
  return size > 0 ? std::string(text.data(), static_cast<std::size_t>(size)) : "another process";
}

/// Whether the file is still in the folder: another holder may have removed it since it was opened.
bool is_still_at(const std::filesystem::path& path, int file) {
  struct stat opened {};
  struct stat there {};
  return fstat(file, &opened) == 0 && stat(path.c_str(), &there) == 0 &&
         opened.st_ino == there.st_ino && opened.st_dev == there.st_dev;
}

}  // namespace

FolderLock::FolderLock(const std::filesystem::path& folder) : path_(folder / ".lock") {
  prepare_folder(folder);
  for (bool held = false; !held; held = is_still_at(path_, file_)) {
    if (file_ >= 0) close(file_);
    file_ = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
    if (file_ < 0) fail_to_write(path_.string(), errno);
    if (flock(file_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) continue;  // or unsupported
    const std::string holder = holder_in(file_);
    close(file_);
    throw InputError(fmt::format(
        "{}: is being written by {}; wait until it ends, or name another folder with --out",
        folder.string(), holder));
  }
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  const std::string holder = fmt::format("process {} on {}", getpid(), host.data());
  // The lock works without this text, which is missing on a full disk.
  [[maybe_unused]] const bool written =
      ftruncate(file_, 0) == 0 && pwrite(file_, holder.data(), holder.size(), 0) > 0;
}

FolderLock::~FolderLock() {
  unlink(path_.c_str());
  close(file_);
}

}  // namespace foretrain
