// Which layer the work of a step belongs to.
#pragma once

#include "scenarios/import/imported_job.h"
#include "scenarios/import/operator_tree.h"
#include "scenarios/import/trace_work.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace foretrain {

/// Places, from 0, among the arguments of a forward operator that owns parameters; empty: it owns
/// none, or nobody can say which. As of the operators' schemas (native_functions.yaml of PyTorch).
/// An operator within another that owns some has the same ones again.
std::span<const int> weight_arguments(std::string_view op);

/// What a number of this type takes, as traces name types: `float`, `c10::Half`, `BFloat16`.
/// Empty: no number.
std::optional<int> width_of_type(std::string_view type);

/// The layers of one step, without times; adds the work of a step to them. Of a step of several
/// micro-batches it has each layer several times, until they are folded.
class TraceLayers {
 public:
  /// By the operators that own parameters; where there are no shapes, by what is reduced; empty:
  /// the step has neither. All outlive it.
  static std::optional<TraceLayers> of(const ChromeTrace& trace, const OperatorTree& tree,
                                       const std::vector<DeviceWork>& work, const TraceSpan& step,
                                       std::int64_t thread);

  [[nodiscard]] const std::vector<ImportedLayer>& layers() const { return layers_; }
  /// Passes of the step, each with all of its layers; 1 once they are folded.
  [[nodiscard]] int passes() const { return passes_; }
  /// Makes the layers those of one pass if each pass has the same layers and the same kernels.
  /// @return passes that were folded; 1: none
  int fold();
  /// Where each part of `work`, forward or backward, belongs.
  void add_times(const std::vector<DeviceWork>& work, std::vector<ImportedLayer>& to) const;

  /// Examples of the batch; 0: not known.
  [[nodiscard]] std::int64_t batch() const { return batch_; }
  /// Of the parameters; empty: not known.
  [[nodiscard]] const std::string& type() const { return type_; }
  /// Numbers that are learned; by shapes each use of a weight counts.
  [[nodiscard]] std::int64_t parameters() const { return parameters_; }

  /// Else by what is reduced.
  [[nodiscard]] bool by_shapes() const { return !begins_.empty(); }
  /// By shapes: when layers begin on the host, in order; the weights, biases that they own.
  [[nodiscard]] const std::vector<double>& begins_us() const { return begins_; }
  [[nodiscard]] std::int64_t tensors() const { return tensors_; }

 private:
  TraceLayers(const ChromeTrace& trace, const OperatorTree& tree) : trace_(trace), tree_(tree) {}

  void find_owners(const TraceSpan& step, std::int64_t thread);
  void find_passes(const std::vector<DeviceWork>& work);
  void find_reduced(const std::vector<DeviceWork>& work);
  [[nodiscard]] bool is_owner(std::size_t event) const;
  void add_owner(std::size_t event);
  [[nodiscard]] std::size_t begun_by(double us) const;
  [[nodiscard]] std::size_t reduced_after(const DeviceWork& work) const;
  /// By the number of an operator, or one around it; empty: none has one that is known.
  [[nodiscard]] std::optional<std::size_t> by_sequence(std::size_t op) const;

  const ChromeTrace& trace_;
  const OperatorTree& tree_;
  std::vector<ImportedLayer> layers_;
  std::vector<double> begins_;   // of layers, on the host: forward, where they have owners
  std::vector<double> reduced_;  // else: launches of all-reduces, the last layer's first
  std::unordered_map<std::int64_t, std::size_t> by_sequence_;
  std::int64_t batch_ = 0;
  std::int64_t parameters_ = 0;
  std::int64_t tensors_ = 0;
  std::string type_;
  int passes_ = 1;
  bool alike_ = false;  // passes
};

/// An all-reduce.
struct Reduced {
  double launch_us = 0;
  std::int64_t numbers = 0;
  Bytes size;
};

/// Each all-reduce among the work that says its size, in the order of launches.
std::vector<Reduced> reduced_by(const ChromeTrace& trace, const std::vector<DeviceWork>& work);

}  // namespace foretrain
