// Import of a user's training as a scenario.
#pragma once

#include "scenarios/import/imported_job.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace foretrain {

/// The format of a file that `import` cannot read, with a suggestion: reports of nsys, rocprof,
/// export_stacks, execution traces (Chakra), archives, web pages, ... Empty if `import` may be able
/// to read it. `begin`: the first 4 KiB, decompressed.
std::string other_format(std::string_view path, std::string_view begin);

/// Reads a Chrome trace of torch.profiler (.json, .json.gz; torch_trace.h) or a CSV file of layers
/// (scenarios/resolve/layer_profile.h). `batch`: examples per worker, which overrides shapes; 0:
/// unknown. `choice`: for traces of several workers.
/// @throws InputError that names the problem and the remedy
ImportedJob import_job(const std::string& path, std::int64_t batch, const TraceChoice& choice = {});

/// Writes layers.csv and job.yaml, a scenario of all_reduce on hosts for up to 256 workers, into
/// the folder, which is created. Beside its layers, a step has the job's optimizer, input and gaps,
/// but not its communication, which is simulated. model.profile_device describes the library's host
/// with such a device (library.h); if there is none or the device is unknown, a comment says what
/// to write.
/// @throws InputError if the folder already has a job.yaml or layers.csv, unless `replace`, or
/// cannot be written
void write_job(const ImportedJob& job, const std::filesystem::path& folder, bool replace);

/// Checks and creates the folder before the job is written: it must have neither file, unless
/// `replace`.
/// @throws InputError
void prepare_job_folder(const std::filesystem::path& folder, bool replace);

/// The layers as a profile (scenarios/resolve/layer_profile.h).
std::string layers_csv(const ImportedJob& job);

}  // namespace foretrain
