// A scenario made of what somebody brings of their own training.
#pragma once

#include "scenarios/import/imported_job.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace foretrain {

/// What a file is that `import` cannot read, with what to give instead: reports of nsys, rocprof,
/// export_stacks, execution traces (Chakra), archives, pages, ... Empty: it may be one that it can.
/// `begin`: the first 4 KiB, unpacked.
std::string other_format(std::string_view path, std::string_view begin);

/// Reads what the file is: a Chrome trace of torch.profiler (.json, .json.gz; torch_trace.h), a CSV
/// of layers (scenarios/resolve/layer_profile.h). `batch`: examples of a worker, whatever shapes
/// seem to say; 0: not known. `choice`: of a trace of several workers.
/// @throws InputError that says what is wrong, and what to do
ImportedJob import_job(const std::string& path, std::int64_t batch, const TraceChoice& choice = {});

/// Writes layers.csv and job.yaml, a scenario of all_reduce on hosts that suffice for 256 workers,
/// into the folder, which it makes. Steps have, beside their layers, what the job says of
/// optimizer, input and gaps; not its communication, which is simulated. What its device can do
/// (model.profile_device) is that of the library's host with such a device (library.h); where it
/// has none, or no device is named, a comment says what to write.
/// @throws InputError where the folder has a job.yaml or layers.csv already, unless `replace`;
/// where it cannot be written
void write_job(const ImportedJob& job, const std::filesystem::path& folder, bool replace);

/// Its part before it writes: the folder is there, and has neither, unless `replace`.
/// @throws InputError
void prepare_job_folder(const std::filesystem::path& folder, bool replace);

/// The layers as a profile (scenarios/resolve/layer_profile.h).
std::string layers_csv(const ImportedJob& job);

}  // namespace foretrain
