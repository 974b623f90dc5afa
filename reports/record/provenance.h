// The program that wrote the record of a run, in a separate file.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace foretrain {

/// Separate from the record, which is a function of the training alone: two simulations write the
/// same bytes, whatever program or host makes them.
struct Provenance {
  std::string build;                 ///< `0.1.0 (2c2e608b1a2c, wire 2)`
  std::string date;                  ///< when the record was written, UTC: 2026-11-23T06:15:00Z
  std::string host;                  ///< host name of the launcher
  std::vector<std::string> command;  ///< arguments of the command line
  std::string processor{};           ///< of that host; empty: not known

  bool operator==(const Provenance&) const = default;
};

inline constexpr const char* kProvenanceFile = "provenance.json";

/// Writes the file into the folder of a record. @throws InputError if it cannot be written
void write_provenance(const Provenance& provenance, const std::filesystem::path& folder);

/// Reads the file of a folder; nothing without one (simulations). @throws InputError if damaged
std::optional<Provenance> read_provenance(const std::filesystem::path& folder);

}  // namespace foretrain
