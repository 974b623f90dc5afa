#include "reports/studies/sweep/journal.h"

#include "models/base/random.h"
#include "scenarios/language/decimal.h"
#include "scenarios/language/file_errors.h"
#include "scenarios/language/input_error.h"
#include "scenarios/resolve/read.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <optional>
#include <utility>
#include <vector>

namespace foretrain {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kBefore = "rows.";
constexpr const char* kExtension = ".jsonl";

void write_all(int file, std::string_view text, const std::string& path) {
  while (!text.empty()) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_to_write(path, errno);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// The error in the values of a row from a file; empty if there is none.
std::string wrong_value(const Json& row) {
  constexpr std::array kTexts{"name",  "mode",     "machine",  "status",
                              "error", "scenario", "currency", "stands_on"};
  for (const auto& [key, value] : row.items()) {
    if (!value.is_primitive()) return fmt::format("{} is neither a number nor a text", key);
    if (std::ranges::find(kTexts, key) != kTexts.end() && !value.is_string()) {
      return fmt::format("{} is not a text", key);
    }
  }
  return {};
}

void read_rows_of(const fs::path& path, SweepRows& rows) {
  check_is_file(path);
  std::ifstream file(path);
  if (!file) {
    throw InputError(fmt::format("{}: cannot read: {}", path.string(), std::strerror(errno)));
  }
  std::size_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (nested_too_deep(line)) {
      throw InputError(
          fmt::format("{}:{}: nested too deep; the file is damaged", path.string(), number));
    }
    Json row = Json::parse(line, nullptr, false);
    if (!row.is_object() || !row.contains("case") || !row["case"].is_number_unsigned()) continue;
    if (const std::string wrong = wrong_value(row); !wrong.empty()) {
      throw InputError(fmt::format("{}:{}: {}; the file is damaged", path.string(), number, wrong));
    }
    const auto place = row["case"].get<std::size_t>();
    rows[place] = std::move(row);  // later rows replace earlier ones
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
  throw InputError(fmt::format("--shard {}: write k/n, such as 2/8: the second of 8 parts", text));
}

std::vector<fs::path> row_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(kBefore) && name.ends_with(kExtension)) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

SweepRows read_rows(const fs::path& folder) {
  SweepRows rows;
  for (const fs::path& path : row_files(folder)) read_rows_of(path, rows);
  return rows;
}

Journal::Journal(const fs::path& folder, const Shard& shard)
    : path_((folder / fmt::format("{}{}-of-{}{}", kBefore, shard.index, shard.count, kExtension))
                .string()),
      file_(open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666)) {
  if (file_ < 0) fail_to_write(path_, errno);
  if (flock(file_, LOCK_EX | LOCK_NB) != 0) {
    close(file_);
    throw InputError(fmt::format(
        "{}: another sweep writes here; wait for it, or name another folder with --out", path_));
  }
  // Ends a line that a killed writer left unfinished.
  char last = '\n';
  const off_t size = lseek(file_, 0, SEEK_END);
  if (size > 0 && pread(file_, &last, 1, size - 1) == 1 && last != '\n') {
    write_all(file_, "\n", path_);
  }
  // A new file name is durable only after its folder is synced.
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
  if (fdatasync(file_) != 0) fail_to_write(path_, errno);
}

}  // namespace foretrain
