#include "exec/checkpoint/durable_file.h"

#include "models/base/check.h"
#include "scenarios/language/input_error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/evp.h>

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace foretrain::exec {
namespace {

namespace fs = std::filesystem;

/// Closes a descriptor when destroyed.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

[[noreturn]] void fail(const fs::path& path) {
  throw InputError(
      fmt::format("{}: cannot write: {}", path.string(), std::generic_category().message(errno)));
}

void write_all(const fs::path& path, std::string_view text) {
  const Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (file.number() < 0) fail(path);
  while (!text.empty()) {
    const ssize_t written = write(file.number(), text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(path);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  if (fsync(file.number()) != 0) fail(path);
}

fs::path place_aside(const fs::path& path) {
  return path.parent_path() / fmt::format(".{}.new", path.filename().string());
}

}  // namespace

void write_durably(const fs::path& path, std::string_view text) {
  const fs::path folder = path.parent_path();
  const fs::path aside = place_aside(path);
  std::error_code error;
  fs::create_directories(folder, error);  // writing reports the error
  try {
    write_all(aside, text);
    fs::rename(aside, path);
  } catch (const fs::filesystem_error& wrong) {
    fs::remove(aside, error);
    throw InputError(fmt::format("{}: cannot write: {}", path.string(), wrong.code().message()));
  } catch (const InputError&) {
    fs::remove(aside, error);
    throw;
  }
  const Descriptor parent(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (parent.number() < 0 || fsync(parent.number()) != 0) fail(folder);
}

void remove_written(const fs::path& path) {
  std::error_code ignored;
  fs::remove(path, ignored);
  fs::remove(place_aside(path), ignored);
}

std::string sha256_of(std::string_view text) {
  std::array<unsigned char, 32> digest{};
  const int done =
      EVP_Digest(text.data(), text.size(), digest.data(), nullptr, EVP_sha256(), nullptr);
  FT_CHECK(done == 1);
  return fmt::format("{:02x}", fmt::join(digest, ""));
}

}  // namespace foretrain::exec
