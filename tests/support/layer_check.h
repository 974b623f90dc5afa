// What is checked of every layer.
#pragma once

#include "models/layers/layer.h"
#include "models/networks/network_spec.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace foretrain::testing {

/// A layer with what its twin is told.
struct LayerCase {
  LayerSpec spec;
  Shape input;
  int classes = 10;
  std::int64_t sparse_features = 0;  ///< above 0: reads sparse rows
  int sparse_fields = 0;             ///< of so many entries each; 0: of any number
  bool relu = false;                 ///< the layer goes on with a ReLU
};

/// What goes into a layer, drawn; with it, what comes out.
struct LayerNumbers {
  std::int64_t batch = 0;
  std::vector<float> input;
  SparseRows sparse;
  std::vector<float> parameters;
  std::vector<float> output_gradient;
  std::vector<float> statistics;  ///< that it begins with
  std::optional<Stream> dropout;  ///< none: judged
  std::vector<float> gradient;    ///< of the examples before, which theirs is added to; or empty
};

/// Inputs between -2 and 2, no two nearly equal; the rest standard normal; sparse rows of a few
/// features each, some of them in many rows.
LayerNumbers draw_numbers(const Layer& layer, const LayerCase& layer_case, std::int64_t batch,
                          std::uint64_t seed);

struct LayerResult {
  std::vector<float> output;
  std::vector<float> input_gradient;  ///< empty: sparse, or judged
  std::vector<float> gradient;        ///< empty: judged
  std::vector<float> statistics;      ///< after the pass

  bool operator==(const LayerResult&) const = default;
};

/// Forward, then backward unless judged, on buffers that start `offset` floats behind a 64-byte
/// boundary, filled with NaN before where they are to be written; nothing is written behind them.
/// Activations that the layer says its backward pass does not read are NaN then.
/// Without `input_gradient` the layer is the first of its network: its gradient is then the same.
LayerResult run_layer(const Layer& layer, const LayerNumbers& numbers, Parallel& parallel,
                      int offset = 0, bool input_gradient = true);

/// The output is the twin's; the gradients by input, by parameters agree with central differences
/// of the twin along random directions (+1, -1 a number), by single numbers too.
void check_against_twin(const Layer& layer, const LayerCase& layer_case, std::int64_t batch,
                        std::uint64_t seed);

/// The same bits with 1, 2, 3 threads and at 64 offsets in memory; each example the same bits alone
/// as among the others (unless sparse, dropped out by draws in their order, or normalised by them);
/// of a layer that goes by example, the same gradient in two passes, too.
void check_same_bits(const Layer& layer, const LayerCase& layer_case, std::int64_t batch);

/// sqrt(sum of (a - b)^2) / sqrt(sum of b^2)
double relative_error(const std::vector<float>& a, const std::vector<double>& b);

}  // namespace foretrain::testing
