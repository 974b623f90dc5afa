// Import of a user's training as a scenario.
#pragma once

#include "scenarios/import/imported_job.h"
#include "scenarios/spec/scenario.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

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

/// The scenario as text, with comments: all_reduce on hosts for up to 256 workers, with layers.csv
/// as its profile. Beside its layers, a step has the job's optimizer, input and gaps, but not its
/// communication, which is simulated. model.profile_device describes the library's host with such a
/// device (library.h); if there is none or the device is unknown, a comment says what to write.
std::string job_yaml(const ImportedJob& job);

/// The text of layers.csv, which is not written. Bytes of a layer are rounded up to whole floats.
ProfileFile profile_of(const ImportedJob& job);

/// The case of job_yaml and profile_of, without files. `changes`: settings as for --set.
/// @throws InputError as `foretrain check` of the files
Case case_of(const ImportedJob& job, const std::vector<std::string>& changes = {});

/// Makes the folder. @throws InputError if that fails, or the folder has a job.yaml or layers.csv,
/// unless `replace`
void prepare_job_folder(const std::filesystem::path& folder, bool replace);

}  // namespace foretrain
