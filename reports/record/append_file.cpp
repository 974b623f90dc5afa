#include "reports/record/append_file.h"

#include "scenarios/input_error.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace foretrain {

AppendFile::AppendFile(std::filesystem::path path)
    : path_(std::move(path)),
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

void AppendFile::fail() const {
  throw InputError(
      fmt::format("{}: cannot write: {}", path_.string(), std::generic_category().message(errno)));
}

}  // namespace foretrain
