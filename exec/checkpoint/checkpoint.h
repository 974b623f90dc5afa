// The checkpoints in the folder of a run: what is there, what of it is whole.
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

/// Below the folder of a run:
///
///     checkpoints/step-500/worker0.ckpt    the state of a node (models/protocol/node_state.h)
///                          server0.ckpt
///                          manifest.json   written last: all parts with their hashes
///
/// Without its manifest a checkpoint is none; one whose parts are not those that its manifest names
/// (torn, of another checkpoint, of another run) is not read.
inline constexpr const char* kCheckpointsFolder = "checkpoints";
inline constexpr const char* kManifestFile = "manifest.json";

/// What a node has kept.
struct Part {
  std::string role;       ///< worker0, server0
  std::int64_t size = 0;  ///< bytes
  std::string sha256;
  std::int64_t reported = 0;   ///< a worker's: steps that it had reported
  std::int64_t evaluated = 0;  ///< the chief's: evaluations
  std::int64_t gradients = 0;  ///< a worker's: that it had begun
};

/// All of a checkpoint but its states.
struct Manifest {
  std::string run;       ///< drawn at the begin of the training that it is of
  std::int64_t cut = 0;  ///< steps of a worker before it
  Instant time;          ///< of the training
  std::string kernel_set;
  std::string scenario;     ///< resolved, as YAML
  std::vector<Part> parts;  ///< by node
};

/// `checkpoints/step-500` in the folder of a run.
std::filesystem::path folder_of_cut(const std::filesystem::path& run, std::int64_t cut);
std::filesystem::path file_of_part(const std::filesystem::path& run, std::int64_t cut,
                                   const std::string& role);

/// Makes a checkpoint of parts that are on the disk; then `keep` of the newest whole ones stay, and
/// nothing older. Returns the oldest of these: nothing before it is needed any more; 0: there are
/// fewer yet. @throws InputError
std::int64_t write_manifest(const std::filesystem::path& run, const Manifest& manifest, int keep);

/// Removes a node's parts of the cuts before `cut`. What other nodes keep in the folder stays.
void remove_parts_before(const std::filesystem::path& run, std::int64_t cut,
                         const std::string& role);

/// A part that is not there, is torn, or is another one; an older checkpoint may be whole.
class PartError : public InputError {
 public:
  using InputError::InputError;
};

/// A part as its manifest has it. @throws PartError that names the file
std::string read_part(const std::filesystem::path& run, std::int64_t cut, const Part& part);

/// The newest whole checkpoint, and why those that are newer are none.
struct Newest {
  std::optional<Manifest> manifest;
  std::vector<std::string> passed_over;
};
inline constexpr std::int64_t kAnyCut = std::numeric_limits<std::int64_t>::max();
/// `here`: all its parts are on this machine. Else some may be on others: those that are seen here
/// have to be what the manifest says, of the rest nothing is known. `before`: of the cuts before
/// this one. A checkpoint of another run than the record in the folder is none of it.
Newest newest_checkpoint(const std::filesystem::path& run, bool here,
                         std::int64_t before = kAnyCut);

/// Removes the checkpoints after `cut`: a training that goes on from there makes others; 0: all.
void remove_checkpoints_after(const std::filesystem::path& run, std::int64_t cut);

}  // namespace foretrain::exec
