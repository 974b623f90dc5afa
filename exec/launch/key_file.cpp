#include "exec/launch/key_file.h"

#include "scenarios/language/file_errors.h"
#include "scenarios/language/input_error.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <system_error>

namespace foretrain::exec {
namespace fs = std::filesystem;

const char* const kMakeKey =
    "make one with `(umask 077; openssl rand -hex 32 > job.key)` and give it to every task: "
    "--job-key job.key, or FORETRAIN_JOB_KEY_FILE=job.key, or its text as FORETRAIN_JOB_KEY";

namespace {

constexpr std::size_t kShortestKey = 16;  // characters

JobKey key_of(const std::string& text, const std::string& source) {
  const char* const kSpace = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kSpace);
  const std::string secret = begin == std::string::npos
                                 ? ""
                                 : text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
  if (!std::ranges::all_of(secret, [](char each) { return each > ' ' && each <= '~'; })) {
    throw InputError(fmt::format("{}: is no job key, which is one line of printable text; {}",
                                 source, kMakeKey));
  }
  if (secret.size() < kShortestKey) {
    throw InputError(
        fmt::format("{}: a job key of {} characters is too short, it needs at least {}; {}", source,
                    secret.size(), kShortestKey, kMakeKey));
  }
  return JobKey(secret);
}

JobKey read_file(const fs::path& path) {
  check_is_file(path);
  std::ifstream stream(path);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (!stream) {
    throw InputError(fmt::format("{}: cannot be read as a job key; {}", path.string(), kMakeKey));
  }
  return key_of(text, path.string());
}

// The file is complete as soon as it exists, even if several processes do the same.
void draw_once(const fs::path& path) {
  const fs::path draft = fmt::format("{}.{}", path.string(), getpid());
  const int file = open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return;
  const std::string secret = JobKey::random().secret();
  const bool whole =
      write(file, secret.data(), secret.size()) == static_cast<ssize_t>(secret.size());
  close(file);
  std::error_code there_already;
  if (whole) fs::create_hard_link(draft, path, there_already);
  fs::remove(draft, there_already);
}

}  // namespace

JobKey read_job_key(const std::string& file, const Environment& environment) {
  const std::string path = file.empty() ? environment("FORETRAIN_JOB_KEY_FILE").value_or("") : file;
  if (!path.empty()) return read_file(path);
  const auto text = environment("FORETRAIN_JOB_KEY");
  return text ? key_of(*text, "FORETRAIN_JOB_KEY") : JobKey();
}

JobKey read_user_key(const fs::path& folder) {
  const fs::path path = folder / "loopback.key";
  std::error_code ignored;
  if (!fs::exists(path, ignored)) {
    fs::create_directories(folder, ignored);
    draw_once(path);
  }
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return {};
  if (status.st_uid != geteuid() || (status.st_mode & 077U) != 0) {
    throw InputError(fmt::format("{}: other users can change it, so it protects nothing; remove it",
                                 path.string()));
  }
  return read_file(path);
}

}  // namespace foretrain::exec
