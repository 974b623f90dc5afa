// Which program wrote the record of a run: a file of its own beside the others.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace foretrain {

/// Kept apart from the record, which is a function of what was trained: two simulations write the
/// same bytes, whoever made them.
struct Provenance {
  std::string build;                 ///< `0.1.0 (2c2e608b1a2c, wire 2)`
  std::string date;                  ///< when the record was written, UTC: 2026-11-23T06:15:00Z
  std::string host;                  ///< of the launcher
  std::vector<std::string> command;  ///< the words of the command line
  std::string processor{};           ///< of that host; empty: its writer did not say

  bool operator==(const Provenance&) const = default;
};

inline constexpr const char* kProvenanceFile = "provenance.json";

/// Writes it into the folder of a record. @throws InputError where it cannot
void write_provenance(const Provenance& provenance, const std::filesystem::path& folder);

/// That of a folder, where it has one: simulations have none. @throws InputError where it is
/// damaged
std::optional<Provenance> read_provenance(const std::filesystem::path& folder);

}  // namespace foretrain
