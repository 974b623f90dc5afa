// The finished rows of a sweep, saved so that they survive a kill.
#pragma once

#include "scenarios/spec/scenario.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace foretrain {

/// Part `index`, from 1, of the `count` parts of a sweep. It has the cases whose number, from 0,
/// modulo `count` is index - 1.
struct Shard {
  int index = 1;
  int count = 1;

  [[nodiscard]] bool has(std::size_t number) const {
    return number % static_cast<std::size_t>(count) == static_cast<std::size_t>(index - 1);
  }
};
/// Parses `2/8`. @throws InputError
Shard parse_shard(const std::string& text);

/// Digest of the resolved scenario; identifies the input of a row.
std::string digest_of(const Case& scenario_case);

/// Rows by case number, from 0.
using SweepRows = std::map<std::size_t, nlohmann::ordered_json>;

/// The row files of all shards in a folder, sorted by name.
std::vector<std::filesystem::path> row_files(const std::filesystem::path& folder);

/// Reads the rows of all shards in a folder: files rows.1-of-8.jsonl, ..., with a JSON object on
/// each line. Lines that a killed writer left incomplete are skipped. @throws InputError if a file
/// cannot be read, or has a row that no sweep writes
SweepRows read_rows(const std::filesystem::path& folder);

/// Writes the rows of one shard. Thread-safe: several threads may call `add` at once.
class Journal {
 public:
  /// Opens the shard's file, appending to existing rows. @throws InputError if it cannot be
  /// written, or if another process writes to it
  Journal(const std::filesystem::path& folder, const Shard& shard);
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  ~Journal();

  /// Returns after the row is on the disk: it then survives a kill or a crash of the machine.
  void add(const nlohmann::ordered_json& row);

 private:
  std::string path_;
  std::mutex mutex_;
  int file_ = -1;
};

}  // namespace foretrain
