// The launcher's side of checkpoints.
#pragma once

#include "exec/checkpoint/node_part.h"
#include "exec/checkpoint/resumption.h"
#include "models/protocol/training.h"
#include "reports/record/checkpoint_tally.h"
#include "reports/record/record.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace foretrain::exec {

/// Tells nodes where their states go, and makes checkpoints of what they have kept: when the last
/// node says that its state is on the disk, and the rows before the cut are in the record, the
/// manifest is written. A node that could not write makes its checkpoint none; the training goes
/// on.
///
/// A run without a folder of its own, of a validation, writes its states to a folder that goes with
/// it: they cost what they cost.
class Checkpoints {
 public:
  /// `folder`: of the run, empty: none.
  Checkpoints(const Case& scenario_case, const Training& training, std::filesystem::path folder,
              const Beginning& beginning);
  Checkpoints(const Checkpoints&) = delete;
  Checkpoints& operator=(const Checkpoints&) = delete;
  ~Checkpoints();

  /// All nodes have read their states. Where the training does not go on from a checkpoint, what an
  /// older one has left in the folder is removed; else what came after it. `kernels`: that they
  /// compute with.
  void begin(std::string kernels);
  [[nodiscard]] NodePart part_of(NodeId node) const;
  /// A node has written its part, or not; it is `now` in the training. `keep_rows`: sees to it that
  /// all that was reported until now is in the record. Returns the cut before which no node's part
  /// is needed any more, where that has become known (write_manifest); else 0.
  std::int64_t take(NodeId node, const WrittenPart& written, Instant now,
                    const std::function<void()>& keep_rows);
  [[nodiscard]] const CheckpointTotals& totals() const { return tally_.totals(); }
  /// The name of the run (Manifest::run).
  [[nodiscard]] const std::string& run() const { return run_; }

 private:
  struct Cut {
    std::vector<Part> parts;  // by node
    Instant time;
    bool broken = false;
  };

  [[nodiscard]] std::int64_t make(std::int64_t cut, const Cut& of) const;

  const Case& case_;
  const Training& training_;
  std::filesystem::path earlier_;  // of the run, where older ones may be; empty: it has none
  std::filesystem::path folder_;   // absolute; empty: nothing is kept
  bool passing_ = false;           // it goes with the run
  Beginning beginning_;
  std::string run_;
  std::string kernels_;
  CheckpointTally tally_;
  std::map<std::int64_t, Cut> cuts_;
};

}  // namespace foretrain::exec
