#include "reports/record/append_file.h"

#include "scenarios/language/file_errors.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace foretrain {

AppendFile::AppendFile(std::filesystem::path path, std::string called)
    : path_(std::move(path)),
      called_(called.empty() ? path_.string() : std::move(called)),
      file_(open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
  if (file_ < 0) fail();
}

AppendFile::~AppendFile() { close(file_); }

void AppendFile::append(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(file_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail();
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void AppendFile::put_first(std::string_view text) {
  if (pwrite(file_, text.data(), text.size(), 0) != std::ssize(text)) fail();
}

void AppendFile::fail() const { fail_to_write(called_, errno); }

}  // namespace foretrain
