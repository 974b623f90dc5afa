// A record as the bytes of its files.
#pragma once

#include "reports/record/files.h"
#include "tests/support/temp_folder.h"

#include <filesystem>
#include <string>
#include <vector>

namespace foretrain::testing {

/// Everything that a record's folder holds, file after file; equal records have equal bytes.
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
