// What a sweep has done so far, kept so that it survives a kill.
#pragma once

#include "scenarios/spec/scenario.h"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace foretrain {

/// A part of a sweep: of `count` parts the one called `index`, from 1. It has the cases whose
/// number, from 0, is index - 1 more than a multiple of count.
struct Shard {
  int index = 1;
  int count = 1;

  [[nodiscard]] bool has(std::size_t number) const {
    return number % static_cast<std::size_t>(count) == static_cast<std::size_t>(index - 1);
  }
};
/// `2/8`. @throws InputError
Shard parse_shard(const std::string& text);

/// Of the resolved scenario: tells what a row has been made from.
std::string digest_of(const Case& scenario_case);

/// Rows by the number of their case, from 0.
using SweepRows = std::map<std::size_t, nlohmann::ordered_json>;

/// The files of rows in a folder, of all shards, by their names.
std::vector<std::filesystem::path> row_files(const std::filesystem::path& folder);

/// The rows of all shards in a folder: files rows.1-of-8.jsonl, ..., a JSON object a line. What a
/// killed writer left half written is passed over. @throws InputError where a file cannot be read,
/// or has a row that no sweep writes
SweepRows read_rows(const std::filesystem::path& folder);

/// Writes the rows of one shard. Threads: `add` may be called from several at once.
class Journal {
 public:
  /// Goes on after what is there. @throws InputError where it cannot be written, or where another
  /// process writes it
  Journal(const std::filesystem::path& folder, const Shard& shard);
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  ~Journal();

  /// Returns when the row is on the disk: from then on it survives a kill, a crash of the machine.
  void add(const nlohmann::ordered_json& row);

 private:
  std::string path_;
  std::mutex mutex_;
  int file_ = -1;
};

}  // namespace foretrain
