#include "models/shapes/convolutions.h"

namespace foretrain {
namespace {

void add(LayerWork& layer, const ConvolutionShape& row, const WorkOptions& options) {
  const std::int64_t area = std::int64_t{row.kernel_height} * row.kernel_width;
  const std::int64_t each =
      area * row.in * row.out + (row.bias ? row.out : 0) + (row.norm ? 2 * row.out : 0);
  layer.parameters += row.count * each;
  layer.tensors += row.count * (1 + (row.bias ? 1 : 0) + (row.norm ? 2 : 0));
  const double pixels = static_cast<double>(options.batch) * row.side * row.side;
  layer.multiply(pixels, static_cast<double>(row.out), static_cast<double>(area * row.in),
                 row.count);
  // A norm reads its input twice and writes its output; so does the activation, once each.
  const double bytes = row.count * pixels * static_cast<double>(row.out) * options.number_bytes;
  layer.moved += bytes * (row.norm ? 5 : 2);
  layer.kept += bytes * (row.norm ? 2 : 1);
  layer.kept_products += bytes;
  layer.kernels += row.count * (row.norm ? 2 : 1);
}

}  // namespace

std::vector<LayerWork> layer_work(const std::vector<ConvolutionShape>& rows,
                                  const WorkOptions& options) {
  std::vector<LayerWork> layers;
  for (const ConvolutionShape& row : rows) {
    // Its input has the side of the row before; the first row's is taken to be its output's.
    const int side = &row == rows.data() ? row.side : (&row - 1)->side;
    if (layers.empty() || layers.back().layer != row.name) {
      layers.push_back({.layer = row.name, .recomputable = row.side > 1});
      layers.back().kept_input =
          static_cast<double>(options.batch * row.in) * side * side * options.number_bytes;
    }
    add(layers.back(), row, options);
  }
  return layers;
}

}  // namespace foretrain
