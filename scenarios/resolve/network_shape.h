// Shapes of networks that are counted: the library's, a user's config.json.
#pragma once

#include "models/shapes/convolutions.h"
#include "models/shapes/layer_work.h"
#include "models/shapes/transformer.h"
#include "scenarios/spec/scenario.h"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace foretrain {

struct NetworkShape {
  std::string family;  ///< its `model_type`
  std::variant<TransformerShape, std::vector<ConvolutionShape>> shape;
  int image_size = 0;  ///< pixels of a side; 0: it reads tokens, or nobody says

  /// The most tokens that it reads; 0: it reads images.
  [[nodiscard]] std::int64_t positions() const;
};

/// Reads a file with the keys of a Hugging Face config.json; scenarios/networks/README.md lists
/// them. JSON is YAML, so one reader serves both. Other keys are ignored.
/// @throws InputError that names file, line and key: a family that is not known, a key that is
/// missing or no number
NetworkShape read_shape(const std::string& path);

/// The shape of `model.network` or `model.config`. @throws InputError, for an unknown name with
/// those of the library
NetworkShape shape_of(const ModelSpec& model);

/// Tokens of an example; 0 for images. @throws InputError if the network reads fewer
std::int64_t sequence_of(const ModelSpec& model, const NetworkShape& shape);

std::vector<LayerWork> layer_work(const NetworkShape& shape, const WorkOptions& options);
std::int64_t parameters_of(const NetworkShape& shape);

}  // namespace foretrain
