// The record as a folder: run.json, CSV tables, timeline.json, tensorboard/, of a run inputs.bin.
#pragma once

#include "reports/record/record.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace foretrain {

/// Makes `folder` where it is absent and sees that it can be written: before a training, not after
/// it.
/// @throws InputError
void prepare_folder(const std::filesystem::path& folder);

/// The files of a record as name with text, in the order in which they are written.
std::vector<std::pair<std::string, std::string>> record_files(const Record& record);

/// Writes a file beside records. @throws InputError where it cannot
void write_text_file(const std::filesystem::path& path, std::string_view text);

/// Writes the record into `folder`, which is made where it is absent; files of an earlier record
/// are replaced. The same record gives the same bytes. @throws InputError where it cannot.
void write_record(const Record& record, const std::filesystem::path& folder);

/// Reads a record back. @throws InputError saying what is wrong with which file and line
Record read_record(const std::filesystem::path& folder);

}  // namespace foretrain
