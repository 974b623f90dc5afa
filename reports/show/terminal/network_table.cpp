// A table of the library's networks with what is counted of them.
#include "reports/record/wrapped_text.h"
#include "reports/show/terminal/tables.h"
#include "scenarios/library/library.h"
#include "scenarios/resolve/network_shape.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

namespace foretrain {
namespace {

constexpr const char* kRow = "{:<18}{:>13}{:>16}{:>7}{:>7}{:>8}{:>11}\n";

std::string network_line(const std::string& name) {
  ModelSpec model;
  model.network = name;
  const NetworkShape shape = shape_of(model);
  const auto layers = layer_work(shape, {.sequence = sequence_of(model, shape)});
  double operations = 0;
  for (const LayerWork& each : layers) operations += each.products + each.attention;
  const auto* blocks = std::get_if<TransformerShape>(&shape.shape);
  const std::int64_t positions = shape.positions();
  return fmt::format(kRow, name, shape.family, grouped(parameters_of(shape)),
                     blocks == nullptr ? std::ssize(layers) : blocks->layers,
                     blocks == nullptr ? "-" : grouped(blocks->width),
                     positions > 0 ? grouped(positions) : fmt::format("{} px", shape.image_size),
                     operations < 1e12 ? fmt::format("{:.1f}", operations / 1e9)
                                       : grouped(std::llround(operations / 1e9)));
}

}  // namespace

std::string network_table() {
  std::string text = wrap(
      "Networks for forecasts, with parameters and operations counted from their shapes. layers: "
      "of a transformer its blocks. reads: the most tokens, or the pixels of a side. GFLOP: a "
      "forward pass of one example, of at most 8,192 tokens.");
  text += '\n';
  text += fmt::format(kRow, "network", "family", "parameters", "layers", "width", "reads", "GFLOP");
  for (const std::string& name : library_names("networks")) text += network_line(name);
  return text + "\n" +
         wrap(
             "A scenario names one: model: {network: NAME}. For another network of these families: "
             "model: {config: config.json}. foretrain new --model NAME --cluster HOSTS writes a "
             "scenario.");
}

}  // namespace foretrain
