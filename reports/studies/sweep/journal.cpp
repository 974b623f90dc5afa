#include "reports/studies/sweep/journal.h"

#include "models/base/random.h"
#include "scenarios/decimal.h"
#include "scenarios/input_error.h"
#include "scenarios/read.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <optional>
#include <vector>

namespace foretrain {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kBefore = "rows.";
constexpr const char* kExtension = ".jsonl";

[[noreturn]] void refuse(const std::string& path, const char* what) {
  throw InputError(fmt::format("{}: {}: {}", path, what, std::strerror(errno)));
}

void write_all(int file, std::string_view text, const std::string& path) {
  while (!text.empty()) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) refuse(path, "cannot write");
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void read_rows_of(const fs::path& path, SweepRows& rows) {
  std::ifstream file(path);
  if (!file) refuse(path.string(), "cannot read");
  for (std::string line; std::getline(file, line);) {
    const Json row = Json::parse(line, nullptr, false);
    const bool whole = row.is_object() && row.contains("case") && row["case"].is_number_unsigned();
    if (whole) rows[row["case"].get<std::size_t>()] = row;  // the last one counts
  }
}

std::optional<int> whole(std::string_view text) {
  constexpr std::int64_t kMost = 10'000;
  const auto decimal = parse_decimal(text);
  const auto number = decimal ? to_integer(*decimal) : std::nullopt;
  if (!number || *number < 1 || *number > kMost) return std::nullopt;
  return static_cast<int>(*number);
}

}  // namespace

std::string digest_of(const Case& scenario_case) {
  return fmt::format("{:016x}", Stream(0, to_yaml(scenario_case.scenario)).bits());
}

Shard parse_shard(const std::string& text) {
  const std::size_t slash = text.find('/');
  const auto index = whole(std::string_view(text).substr(0, slash));
  const auto count =
      slash == std::string::npos ? std::nullopt : whole(std::string_view(text).substr(slash + 1));
  if (index && count && *index <= *count) return {*index, *count};
  throw InputError(fmt::format("--shard {}: write k/n, such as 2/8: of 8 parts the second", text));
}

SweepRows read_rows(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(kBefore) && name.ends_with(kExtension)) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  SweepRows rows;
  for (const fs::path& path : files) read_rows_of(path, rows);
  return rows;
}

Journal::Journal(const fs::path& folder, const Shard& shard)
    : path_((folder / fmt::format("{}{}-of-{}{}", kBefore, shard.index, shard.count, kExtension))
                .string()),
      file_(open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666)) {
  if (file_ < 0) refuse(path_, "cannot write");
  if (flock(file_, LOCK_EX | LOCK_NB) != 0) {
    close(file_);
    throw InputError(fmt::format(
        "{}: another sweep writes here; wait for it, or name another folder with --out", path_));
  }
  // A line that a killed writer left unfinished ends here.
  char last = '\n';
  const off_t size = lseek(file_, 0, SEEK_END);
  if (size > 0 && pread(file_, &last, 1, size - 1) == 1 && last != '\n') {
    write_all(file_, "\n", path_);
  }
  // The name of a new file is on the disk once its folder is.
  const int directory = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return;
  fsync(directory);
  close(directory);
}

Journal::~Journal() { close(file_); }

void Journal::add(const Json& row) {
  const std::string line = row.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  const std::lock_guard lock(mutex_);
  write_all(file_, line, path_);
  if (fdatasync(file_) != 0) refuse(path_, "cannot write");
}

}  // namespace foretrain
