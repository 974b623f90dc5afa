// A record as bytes for comparison.
#pragma once

#include "reports/record/files.h"
#include "tests/support/temp_folder.h"

#include <filesystem>
#include <string>
#include <vector>

namespace foretrain::testing {

/// The content of a record's folder, file after file; equal records give equal bytes.
inline std::string record_bytes(const Record& record) {
  const TempFolder folder;
  write_record(record, folder.path());
  std::vector<std::string> names = files_beside_run();
  names.emplace_back(kRunFile);
  std::string all;
  for (const std::string& name : names) {
    if (std::filesystem::exists(folder / name)) all += name + "\n" + read_text_file(folder / name);
  }
  return all;
}

}  // namespace foretrain::testing
