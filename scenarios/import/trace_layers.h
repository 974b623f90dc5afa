// Assignment of a step's work to layers.
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

/// Positions, from 0, of the parameters among a forward operator's arguments; empty if it has none
/// or they are unknown. From the operators' schemas (native_functions.yaml of PyTorch). An operator
/// nested in another one with parameters has the same parameters.
std::span<const int> weight_arguments(std::string_view op);

/// Bytes of a number of this type, by its name in traces: `float`, `c10::Half`, `BFloat16`. Empty
/// if it is not a numeric type.
std::optional<int> width_of_type(std::string_view type);

/// The layers of one step, without times; assigns the work of steps to them. For a step of several
/// micro-batches, each layer occurs several times until they are folded.
class TraceLayers {
 public:
  /// Makes layers from the operators with parameters, or from reductions if there are no shapes;
  /// empty if the step has neither. All arguments have to outlive it.
  static std::optional<TraceLayers> of(const ChromeTrace& trace, const OperatorTree& tree,
                                       const std::vector<DeviceWork>& work, const TraceSpan& step,
                                       std::int64_t thread);

  [[nodiscard]] const std::vector<ImportedLayer>& layers() const { return layers_; }
  /// Passes of the step, each with all layers; 1 after folding.
  [[nodiscard]] int passes() const { return passes_; }
  /// Reduces the layers to those of one pass, if all passes have the same layers and the same
  /// kernels.
  /// @return number of folded passes; 1: none
  int fold();
  /// Adds the times of forward and backward `work` to their layers.
  void add_times(const std::vector<DeviceWork>& work, std::vector<ImportedLayer>& to) const;

  /// Examples per batch; 0: unknown.
  [[nodiscard]] std::int64_t batch() const { return batch_; }
  /// Type of the parameters; empty: unknown.
  [[nodiscard]] const std::string& type() const { return type_; }
  /// Number of trained parameters; with shapes each use of a weight counts.
  [[nodiscard]] std::int64_t parameters() const { return parameters_; }

  /// Whether layers come from shapes; else from reductions.
  [[nodiscard]] bool by_shapes() const { return !begins_.empty(); }
  /// With shapes: begin times of layers on the host, in order, and the number of weight and bias
  /// tensors.
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
  /// The layer by the sequence number of the operator or of one around it; empty if none is known.
  [[nodiscard]] std::optional<std::size_t> by_sequence(std::size_t op) const;

  const ChromeTrace& trace_;
  const OperatorTree& tree_;
  std::vector<ImportedLayer> layers_;
  std::vector<double> begins_;   // begins of layers on the host, in the forward pass, with shapes
  std::vector<double> reduced_;  // without shapes: launches of all-reduces, the last layer's first
  std::unordered_map<std::int64_t, std::size_t> by_sequence_;
  std::int64_t batch_ = 0;
  std::int64_t parameters_ = 0;
  std::int64_t tensors_ = 0;
  std::string type_;
  int passes_ = 1;
  bool alike_ = false;  // all passes are equal
};

/// An all-reduce.
struct Reduced {
  double launch_us = 0;
  std::int64_t numbers = 0;
  Bytes size;
};

/// The all-reduces in `work` that give their size, in the order of launches.
std::vector<Reduced> reduced_by(const ChromeTrace& trace, const std::vector<DeviceWork>& work);

}  // namespace foretrain
