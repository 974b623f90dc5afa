// Shared records, scenarios, folders for tests of reports.
#pragma once

#include "reports/record/record.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace foretrain::testing {

/// A new empty folder, removed with its owner.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

std::string read_text(const std::filesystem::path& path);
void write_text(const std::filesystem::path& path, const std::string& text);

/// A case of a sweep over strategies in a scenario named `study`.
Case case_of(const std::string& strategy);

/// Two workers, a server, four steps of 10, 20, 30 and 50 ms without evaluation, 0.1 s in all.
Record small_record(Mode mode, const std::string& strategy);

/// The text on a terminal for these records (result_of).
std::string told_of(const std::vector<Record>& records, bool full = false);

/// Rows with extreme figures: unknown ones, the largest integers, subnormal doubles.
Record random_record(std::uint64_t seed);

}  // namespace foretrain::testing
