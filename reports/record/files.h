// The record as a folder: run.json, CSV tables, timeline.json, tensorboard/, of a run inputs.bin.
#pragma once

#include "reports/record/record.h"
#include "reports/record/tensorboard.h"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

/// Makes `folder` where it is absent and sees that it can be written: before a training, not after
/// it.
/// @throws InputError
void prepare_folder(const std::filesystem::path& folder);

// The files of a record's folder.
inline constexpr const char* kRunFile = "run.json";
inline constexpr const char* kStepsFile = "steps.csv";
inline constexpr const char* kEvalsFile = "evals.csv";
inline constexpr const char* kUsageFile = "usage.csv";
inline constexpr const char* kInputsFile = "inputs.bin";
inline constexpr const char* kTimelineFile = "timeline.json";
/// All but run.json, which says what they belong to; those that a record has.
std::vector<std::string> files_beside_run();

/// The text of a file. @throws InputError where it cannot be read
std::string read_text_file(const std::filesystem::path& path);
/// Writes a file, whole or not at all: beside its place, then there. Where it cannot, the older one
/// stays, nothing else. What is no file, such as /dev/stdout, is written as it is.
/// @throws WriteError, InputError (write_error.h) where it cannot
void write_text_file(const std::filesystem::path& path, std::string_view text);

/// Writes a record that is all there into `folder`, which is made where it is absent; files of an
/// earlier record are replaced, once all are written. The same record gives the same bytes, but for
/// dates: `zero` is that of RecordWriter::begin.
/// @throws WriteError where the disk takes it not, InputError where it cannot be written there
void write_record(const Record& record, const std::filesystem::path& folder, WallTime zero = {});

/// What a record is of, its totals, without its rows: run.json alone. Nothing, where there is none.
/// @throws InputError where that is damaged
std::optional<Record> read_record_head(const std::filesystem::path& folder);

/// Moves those of `names` that are in `folder` into a folder of it, earlier-1 or the next that is
/// free: nothing is lost. Returns that one; empty where none of them was there.
std::filesystem::path set_aside(const std::filesystem::path& folder,
                                const std::vector<std::string>& names);

/// Reads a record back, its rows in their order. One that has no end, since its training goes on or
/// whoever wrote it (writer.h) was killed, is read up to its last whole rows: it was interrupted,
/// and its totals are what the rows come to. @throws InputError saying what is wrong with which
/// file and line
Record read_record(const std::filesystem::path& folder);

/// Looks at the steps of a folder one after another, in the order in which they were written;
/// about `part` bytes of them are in memory at once.
void read_steps(const std::filesystem::path& folder,
                const std::function<void(const StepRow&)>& look, std::size_t part = 4U << 20U);

/// Holds a folder for this process. The kernel releases it when the process ends, however that
/// ends. The file `.lock` in the folder has the process that holds it; it is removed at the end.
class FolderLock {
 public:
  /// Makes the folder where it is absent (prepare_folder). @throws InputError that names the folder
  /// and the process that holds it, or as prepare_folder
  explicit FolderLock(const std::filesystem::path& folder);
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock();

 private:
  std::filesystem::path path_;
  int file_ = -1;
};

}  // namespace foretrain
