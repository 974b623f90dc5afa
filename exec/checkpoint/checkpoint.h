// The checkpoints in the folder of a run, with checks of their integrity.
#pragma once

#include "models/base/time.h"
#include "scenarios/language/input_error.h"

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace foretrain::exec {

/// Layout below the folder of a run:
///
///     checkpoints/step-500/worker0.ckpt    state of a node (models/protocol/node_state.h)
///                          server0.ckpt
///                          manifest.json   written last: all parts with their hashes
///
/// A checkpoint without manifest does not count. A part that does not match its manifest (torn, of
/// another checkpoint or run) is rejected.
inline constexpr const char* kCheckpointsFolder = "checkpoints";
inline constexpr const char* kManifestFile = "manifest.json";

/// The saved state of one node.
struct Part {
  std::string role;       ///< worker0, server0
  std::int64_t size = 0;  ///< bytes
  std::string sha256;
  std::int64_t reported = 0;   ///< of a worker: steps that it had reported
  std::int64_t evaluated = 0;  ///< of the chief: evaluations
  std::int64_t gradients = 0;  ///< of a worker: gradients that it had begun
};

/// A checkpoint without its states.
struct Manifest {
  std::string run;       ///< random name, drawn when the training began
  std::int64_t cut = 0;  ///< steps of each worker before it
  Instant time;          ///< of the training
  std::string kernel_set;
  std::string scenario;     ///< resolved, as YAML
  std::vector<Part> parts;  ///< by node
};

/// `checkpoints/step-500` in the folder of a run.
std::filesystem::path folder_of_cut(const std::filesystem::path& run, std::int64_t cut);
std::filesystem::path file_of_part(const std::filesystem::path& run, std::int64_t cut,
                                   const std::string& role);

/// Completes a checkpoint whose parts are on the disk. The newest `keep` complete checkpoints
/// remain; older ones are removed. Returns the oldest of these, before which nothing is needed any
/// more; 0 if there are fewer. @throws InputError
std::int64_t write_manifest(const std::filesystem::path& run, const Manifest& manifest, int keep);

/// Removes a node's parts of the cuts before `cut`. Parts of other nodes in the folder remain.
void remove_parts_before(const std::filesystem::path& run, std::int64_t cut,
                         const std::string& role);

/// A part is missing, torn, or the wrong one; an older checkpoint may be complete.
class PartError : public InputError {
 public:
  using InputError::InputError;
};

/// Reads a part and checks it against its manifest. @throws PartError that names the file
std::string read_part(const std::filesystem::path& run, std::int64_t cut, const Part& part);

/// The newest complete checkpoint, and the reasons why newer ones are not.
struct Newest {
  std::optional<Manifest> manifest;
  std::vector<std::string> passed_over;
};
inline constexpr std::int64_t kAnyCut = std::numeric_limits<std::int64_t>::max();
/// `here`: all parts are on this machine. If false, some may be on others: those present here must
/// match the manifest, the rest is not checked. `before`: only cuts before this one count. A
/// checkpoint of another run than the record in the folder is passed over.
Newest newest_checkpoint(const std::filesystem::path& run, bool here,
                         std::int64_t before = kAnyCut);

/// Removes the checkpoints after `cut`, as a training that resumes there writes new ones; all if 0.
void remove_checkpoints_after(const std::filesystem::path& run, std::int64_t cut);

}  // namespace foretrain::exec
