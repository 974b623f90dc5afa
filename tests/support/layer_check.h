// Checks for every layer.
#pragma once

#include "models/layers/layer.h"
#include "models/networks/network_spec.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace foretrain::testing {

/// A layer with the settings that its twin needs.
struct LayerCase {
  LayerSpec spec;
  Shape input;
  int classes = 10;
  std::int64_t sparse_features = 0;  ///< number of features; above 0: the layer reads sparse rows
  int sparse_fields = 0;             ///< entries per row; 0: any number
  bool relu = false;                 ///< the layer includes a ReLU
};

/// Random inputs and parameters of a layer, with a random gradient of its output.
struct LayerNumbers {
  std::int64_t batch = 0;
  std::vector<float> input;
  SparseRows sparse;
  std::vector<float> parameters;
  std::vector<float> output_gradient;
  std::vector<float> statistics;  ///< before the pass
  std::optional<Stream> dropout;  ///< none: the layer evaluates
  std::vector<float> gradient;  ///< of earlier examples, to which this gradient is added; or empty
};

/// Inputs are between -2 and 2, no two nearly equal; other numbers are standard normal; sparse rows
/// have a few features each, some of which are in many rows.
LayerNumbers draw_numbers(const Layer& layer, const LayerCase& layer_case, std::int64_t batch,
                          std::uint64_t seed);

struct LayerResult {
  std::vector<float> output;
  std::vector<float> input_gradient;  ///< empty if sparse or evaluating
  std::vector<float> gradient;        ///< empty if evaluating
  std::vector<float> statistics;      ///< after the pass

  bool operator==(const LayerResult&) const = default;
};

/// Runs forward, and backward unless evaluating. Buffers start `offset` floats after a 64-byte
/// boundary; output buffers are filled with NaN first, and must not be written past their ends.
/// Activations that the backward pass does not read, as the layer claims, become NaN in between.
/// Without `input_gradient` the layer is the first of its network; the parameter gradient is the
/// same.
LayerResult run_layer(const Layer& layer, const LayerNumbers& numbers, Parallel& parallel,
                      int offset = 0, bool input_gradient = true);

/// Checks that the output equals the twin's and that the gradients by input and parameters agree
/// with the twin's central differences, along random directions of +1 and -1 and for single
/// numbers.
void check_against_twin(const Layer& layer, const LayerCase& layer_case, std::int64_t batch,
                        std::uint64_t seed);

/// Checks for the same bits with 1, 2, 3 threads and at 64 memory offsets. Each example gives the
/// same bits alone and in a batch, unless the layer is sparse, has dropout (draws are in order), or
/// normalises over the batch. A layer that works example by example has the same gradient in two
/// passes.
void check_same_bits(const Layer& layer, const LayerCase& layer_case, std::int64_t batch);

/// sqrt(sum of (a - b)^2) / sqrt(sum of b^2)
double relative_error(const std::vector<float>& a, const std::vector<double>& b);

}  // namespace foretrain::testing
