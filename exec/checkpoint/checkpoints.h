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

/// Tells nodes where to write their states, and completes checkpoints: when the last node has
/// reported that its state is on the disk, and the rows before the cut are in the record, the
/// manifest is written. If a node fails to write, the checkpoint is dropped, and the training
/// continues.
///
/// A run without a folder, as in a validation, writes its states to a temporary folder, so that
/// checkpoints have their cost.
class Checkpoints {
 public:
  /// `folder`: of the run; empty if there is none.
  Checkpoints(const Case& scenario_case, const Training& training, std::filesystem::path folder,
              const Beginning& beginning);
  Checkpoints(const Checkpoints&) = delete;
  Checkpoints& operator=(const Checkpoints&) = delete;
  ~Checkpoints();

  /// Called when all nodes have read their states. Removes old checkpoints from the folder: those
  /// after the cut if the training resumes from one, else all. `kernels`: kernel set of the nodes.
  void begin(std::string kernels);
  [[nodiscard]] NodePart part_of(NodeId node) const;
  /// A node has written its part or failed, `now` in the training. `keep_rows`: writes everything
  /// reported so far to the record. Returns the cut before which no node's part is needed any more
  /// if that has changed (write_manifest); else 0.
  std::int64_t take(NodeId node, const WrittenPart& written, Instant now,
                    const std::function<void()>& keep_rows);
  [[nodiscard]] const CheckpointTotals& totals() const { return tally_.totals(); }
  /// Name of the run (Manifest::run).
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
  std::filesystem::path earlier_;  // of the run, with older checkpoints; may be empty
  std::filesystem::path folder_;   // absolute; empty if checkpoints are off
  bool passing_ = false;           // temporary, removed with this object
  Beginning beginning_;
  std::string run_;
  std::string kernels_;
  CheckpointTally tally_;
  std::map<std::int64_t, Cut> cuts_;
};

}  // namespace foretrain::exec
