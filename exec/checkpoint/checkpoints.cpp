#include "exec/checkpoint/checkpoints.h"

#include "exec/checkpoint/durable_file.h"
#include "exec/transport/job_key.h"
#include "reports/record/stderr_note.h"
#include "scenarios/language/input_error.h"
#include "scenarios/resolve/read.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <span>
#include <system_error>
#include <utility>

namespace foretrain::exec {
namespace {

namespace fs = std::filesystem;

std::string drawn_name() {
  constexpr std::size_t kDigits = 16;
  return sha256_of(JobKey::random().secret()).substr(0, kDigits);
}

}  // namespace

Checkpoints::Checkpoints(const Case& scenario_case, const Training& training, fs::path folder,
                         const Beginning& beginning)
    : case_(scenario_case),
      training_(training),
      earlier_(folder),
      beginning_(beginning),
      run_(beginning.from != nullptr ? beginning.from->manifest.run : drawn_name()),
      tally_(static_cast<std::size_t>(training.nodes())) {
  if (!training.checkpoint.wanted()) return;
  passing_ = folder.empty();
  if (passing_) folder = fs::temp_directory_path() / fmt::format("foretrain-{}", run_);
  folder_ = fs::absolute(folder);
}

// Not in the constructor: if a node cannot read its state, nothing has begun, and all are needed.
void Checkpoints::begin(std::string kernels) {
  kernels_ = std::move(kernels);
  if (earlier_.empty()) return;
  const Resumption* resumption = beginning_.from;
  const bool same = resumption != nullptr && fs::weakly_canonical(resumption->folder) ==
                                                 fs::weakly_canonical(fs::absolute(earlier_));
  remove_checkpoints_after(earlier_, same ? resumption->manifest.cut : 0);
}

Checkpoints::~Checkpoints() {
  std::error_code ignored;
  if (passing_) fs::remove_all(folder_, ignored);
}

NodePart Checkpoints::part_of(NodeId node) const {
  NodePart part;
  part.folder = folder_;
  part.role = training_.role(node);
  if (beginning_.from == nullptr) return part;
  const Manifest& manifest = beginning_.from->manifest;
  part.from = beginning_.from->folder;
  part.cut = manifest.cut;
  // The number of workers is the same as then (check_is_of).
  const auto servers =
      std::span(manifest.parts).subspan(static_cast<std::size_t>(training_.workers));
  if (training_.is_worker(node) || std::ssize(servers) == training_.servers) {
    part.part = manifest.parts.at(index_of(node));
  } else {
    part.servers.assign(servers.begin(), servers.end());
  }
  return part;
}

std::int64_t Checkpoints::take(NodeId node, const WrittenPart& written, Instant now,
                               const std::function<void()>& keep_rows) {
  Cut& cut = cuts_[written.cut];
  cut.parts.resize(static_cast<std::size_t>(training_.nodes()));
  cut.parts[index_of(node)] = written.part;
  cut.time = std::max(cut.time, now);
  if (!written.wrong.empty() && !std::exchange(cut.broken, true)) {
    stderr_note(fmt::format("no checkpoint of step {}: {}: {}\n", written.cut, training_.role(node),
                            written.wrong));
  }
  if (!tally_.add(written.cut, {written.part.size}, written.took)) return 0;
  std::int64_t oldest = 0;
  if (!cut.broken) {
    keep_rows();
    oldest = make(written.cut, cut);
  }
  cuts_.erase(cuts_.begin(), std::next(cuts_.find(written.cut)));
  return oldest;
}

std::int64_t Checkpoints::make(std::int64_t cut, const Cut& of) const {
  Manifest manifest{run_, cut, of.time, kernels_, to_yaml(case_.scenario), of.parts};
  try {
    return write_manifest(folder_, manifest, case_.scenario.checkpoint.keep);
  } catch (const InputError& error) {
    stderr_note(fmt::format("no checkpoint of step {}: {}\n", cut, error.what()));
    return 0;
  }
}

}  // namespace foretrain::exec
