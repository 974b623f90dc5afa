// The record as a folder: run.json, CSV tables, timeline.json, tensorboard/, for a run inputs.bin.
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

/// Creates `folder` if needed, and checks that it is writable; called before a training rather than
/// after it. @throws InputError
void prepare_folder(const std::filesystem::path& folder);

// The files of a record's folder.
inline constexpr const char* kRunFile = "run.json";
inline constexpr const char* kStepsFile = "steps.csv";
inline constexpr const char* kEvalsFile = "evals.csv";
inline constexpr const char* kUsageFile = "usage.csv";
inline constexpr const char* kInputsFile = "inputs.bin";
inline constexpr const char* kTimelineFile = "timeline.json";
/// The files that a record may have besides run.json, which identifies the record.
std::vector<std::string> files_beside_run();

/// The text of a file. @throws InputError if it cannot be read
std::string read_text_file(const std::filesystem::path& path);
/// Writes a file atomically: a temporary file next to it is renamed. On an error the older file
/// stays unchanged. Anything but a regular file, such as /dev/stdout, is written directly.
/// @throws WriteError, InputError (file_errors.h) if it cannot be written
void write_text_file(const std::filesystem::path& path, std::string_view text);

/// Writes a complete record into `folder`, which is created if needed. Files of an earlier record
/// are replaced after all new ones are written. The same record gives the same bytes, except for
/// dates, which derive from `zero` (RecordWriter::begin).
/// @throws WriteError if the disk is full or broken, InputError if the folder is not writable
void write_record(const Record& record, const std::filesystem::path& folder, WallTime zero = {});

/// Scenario and totals of a record without its rows, from run.json alone; nothing if there is none.
/// @throws InputError if it is damaged
std::optional<Record> read_record_head(const std::filesystem::path& folder);

/// Moves those of `names` that exist in `folder` to a new subfolder, earlier-1, earlier-2, ...;
/// nothing is deleted. Returns the path of the subfolder; empty if none of them exists.
std::filesystem::path set_aside(const std::filesystem::path& folder,
                                const std::vector<std::string>& names);

/// Reads a record with its rows sorted. If it has no end, since its training still runs or its
/// writer (record_writer.h) was killed, it is read up to the last complete rows; its outcome is
/// then `interrupted`, and its totals are computed from the rows. @throws InputError that names the
/// file, the line, the error
Record read_record(const std::filesystem::path& folder);

/// Passes the steps of a folder to `look` one by one, in the order in which they were written.
/// About `part` bytes of them are in memory at once.
void read_steps(const std::filesystem::path& folder,
                const std::function<void(const StepRow&)>& look, std::size_t part = 4U << 20U);

/// Locks a folder for this process. The kernel releases the lock when the process ends in any way.
/// The file `.lock` in the folder names the process; the destructor removes it.
class FolderLock {
 public:
  /// Creates the folder if needed (prepare_folder). @throws InputError that names the folder and
  /// the process that has locked it, or as prepare_folder
  explicit FolderLock(const std::filesystem::path& folder);
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock();

 private:
  std::filesystem::path path_;
  int file_ = -1;
};

}  // namespace foretrain
