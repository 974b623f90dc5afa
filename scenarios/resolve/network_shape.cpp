#include "scenarios/resolve/network_shape.h"

#include "scenarios/language/decimal.h"
#include "scenarios/language/field.h"
#include "scenarios/language/input_error.h"
#include "scenarios/language/propose.h"
#include "scenarios/language/reader.h"
#include "scenarios/language/value.h"
#include "scenarios/library/library.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <string_view>

namespace foretrain {
namespace {

// Larger ones are typing mistakes.
constexpr std::int64_t kSizeMost = 16'000'000;
constexpr int kCountMost = 4096;
constexpr double kWeightsMost = 1e13;

/// A mapping of a config file.
class Config {
 public:
  explicit Config(const Value& map, std::string path = {}) : map_(map), path_(std::move(path)) {
    if (map.kind != Value::Kind::map) fail({}, "no mapping; a config.json has keys and values");
  }

  [[nodiscard]] std::int64_t number(std::string_view key) const {
    require(key);
    return number(key, 0);
  }
  /// `left_out`: the value if there is no such key.
  [[nodiscard]] std::int64_t number(std::string_view key, std::int64_t left_out,
                                    std::int64_t most = kSizeMost) const {
    const Value* value = find(key);
    if (value == nullptr) return left_out;
    const auto decimal = parse_decimal(value->text);
    const auto number = decimal ? to_integer(*decimal) : std::nullopt;
    if (number && *number >= 1 && *number <= most) return *number;
    fail(key, fmt::format("{} is no whole number from 1 to {}", to_flow(*value), most));
  }
  /// A number of equal things: layers, heads, pixels.
  [[nodiscard]] int count(std::string_view key) const {
    require(key);
    return count(key, 0);
  }
  [[nodiscard]] int count(std::string_view key, int left_out) const {
    return static_cast<int>(number(key, left_out, kCountMost));
  }

  [[nodiscard]] bool flag(std::string_view key, bool left_out) const {
    const Value* value = find(key);
    if (value == nullptr) return left_out;
    if (value->text == "true" || value->text == "on") return true;
    if (value->text == "false" || value->text == "off") return false;
    fail(key, fmt::format("{}; write true or false", to_flow(*value)));
  }
  [[nodiscard]] std::string text(std::string_view key, std::string_view left_out) const {
    const Value* value = find(key);
    return value == nullptr ? std::string(left_out) : value->text;
  }
  /// Null if the key is missing, or null as in `"n_inner": null`.
  [[nodiscard]] const Value* find(std::string_view key) const {
    const Entry* entry = map_.find(key);
    return entry == nullptr || entry->value.kind == Value::Kind::null ? nullptr : &entry->value;
  }
  void require(std::string_view key) const {
    if (find(key) == nullptr) fail({}, fmt::format("there is no {}; write it", key));
  }
  [[noreturn]] void fail(std::string_view key, const std::string& what) const {
    const Value* value = key.empty() ? nullptr : find(key);
    const std::string_view dot = path_.empty() || key.empty() ? "" : ".";
    const std::string whole = fmt::format("{}{}{}", path_, dot, key);
    fail_at(to_text(value == nullptr ? map_.mark : value->mark), whole, what);
  }

 private:
  const Value& map_;
  std::string path_;
};

void check_weights(const Config& config, double weights) {
  if (weights <= kWeightsMost) return;
  config.fail(
      {}, fmt::format("{:.3g} weights, more than {:.0e}; check the sizes", weights, kWeightsMost));
}

TransformerShape hidden_sizes(const Config& config) {
  TransformerShape shape;
  shape.width = config.number("hidden_size");
  shape.layers = config.count("num_hidden_layers");
  shape.heads = config.count("num_attention_heads");
  shape.kv_heads = config.count("num_key_value_heads", shape.heads);
  shape.inner = config.number("intermediate_size");
  return shape;
}

NetworkShape read_llama(const Config& config) {
  TransformerShape shape = hidden_sizes(config);
  shape.vocabulary = config.number("vocab_size");
  shape.positions = config.number("max_position_embeddings");
  shape.gated = true;
  shape.tied = config.flag("tie_word_embeddings", false);
  const bool qwen = config.text("model_type", "") == "qwen2";
  shape.attention_biases = config.flag("attention_bias", qwen);
  return {{}, shape};
}

NetworkShape read_gpt2(const Config& config) {
  const bool mpt = config.text("model_type", "") == "mpt";
  TransformerShape shape;
  shape.vocabulary = config.number("vocab_size");
  shape.width = config.number(mpt ? "d_model" : "n_embd");
  shape.layers = config.count(mpt ? "n_layers" : "n_layer");
  shape.heads = config.count(mpt ? "n_heads" : "n_head");
  shape.positions = config.number(mpt ? "max_seq_len" : "n_positions");
  shape.kv_heads = shape.heads;
  shape.inner = mpt ? shape.width * config.number("expansion_ratio", 4)
                    : config.number("n_inner", 4 * shape.width);
  const Value* attention = config.find("attn_config");
  const bool alibi = attention != nullptr && Config(*attention).flag("alibi", false);
  shape.learned_positions = config.flag("learned_pos_emb", true) && !alibi;
  shape.biases = !config.flag("no_bias", false);
  shape.tied = config.flag("tie_word_embeddings", true);
  return {{}, shape};
}

NetworkShape read_bert(const Config& config) {
  TransformerShape shape = hidden_sizes(config);
  shape.vocabulary = config.number("vocab_size");
  shape.positions = config.number("max_position_embeddings");
  shape.token_types = config.count("type_vocab_size", 2);
  shape.learned_positions = shape.biases = shape.pooler = true;
  shape.causal = false;
  return {{}, shape};
}

NetworkShape read_vit(const Config& config) {
  TransformerShape shape = hidden_sizes(config);
  shape.image_size = config.count("image_size");
  shape.patch_size = config.count("patch_size");
  shape.classes = static_cast<int>(config.number("num_classes", 1000));
  shape.learned_positions = shape.biases = true;
  shape.causal = false;
  if (shape.patch_size > shape.image_size) {
    config.fail("patch_size", fmt::format("{} is more than image_size", shape.patch_size));
  }
  return {{}, shape};
}

/// Reads `3`, or `1x7`.
void read_kernel(const Config& config, ConvolutionShape& row) {
  const std::string text = config.text("kernel", "1");
  const std::size_t cross = text.find('x');
  const auto side = [&](std::string_view digits) {
    const auto decimal = parse_decimal(digits);
    const auto number = decimal ? to_integer(*decimal) : std::nullopt;
    constexpr int kMost = 64;
    if (number && *number >= 1 && *number <= kMost) return static_cast<int>(*number);
    config.fail("kernel", fmt::format("{}; write the pixels of a side, 3, or of both, 1x7", text));
  };
  row.kernel_height = side(std::string_view(text).substr(0, cross));
  row.kernel_width = cross == std::string::npos ? row.kernel_height : side(text.substr(cross + 1));
}

NetworkShape read_convolutions(const Config& config) {
  const Value* list = config.find("layers");
  if (list == nullptr || list->items.empty()) config.fail("layers", "missing; list the layers");
  std::vector<ConvolutionShape> rows;
  for (const Value& item : list->items) {
    const Config each(item, fmt::format("layers[{}]", rows.size()));
    ConvolutionShape row{.name = each.text("name", fmt::format("layer{}", rows.size()))};
    read_kernel(each, row);
    row.in = each.number("in");
    row.out = each.number("out");
    row.side = each.count("side", 1);
    row.count = each.count("count", 1);
    row.norm = each.flag("norm", true);
    row.bias = each.flag("bias", false);
    const double area = row.kernel_height * row.kernel_width;
    check_weights(each, area * row.count * static_cast<double>(row.in * row.out));
    rows.push_back(std::move(row));
  }
  return {{}, std::move(rows)};
}

struct Family {
  std::string_view model_type;
  NetworkShape (*read)(const Config&);
};
constexpr Family kFamilies[] = {{"llama", read_llama},
                                {"qwen2", read_llama},
                                {"gpt2", read_gpt2},
                                {"mpt", read_gpt2},
                                {"bert", read_bert},
                                {"vit", read_vit},
                                {"convolutions", read_convolutions}};

/// @throws InputError for what the layers' formulas cannot express
void check(const Config& config, const NetworkShape& network) {
  const auto* shape = std::get_if<TransformerShape>(&network.shape);
  if (shape == nullptr) return;
  const auto width = static_cast<double>(shape->width);
  check_weights(config,
                shape->layers * width * (4 * width + 3 * static_cast<double>(shape->inner)));
  const std::string heads = fmt::format("{} heads", shape->heads);
  if (shape->width % shape->heads != 0) {
    config.fail({}, fmt::format("{} do not divide the width {}", heads, shape->width));
  }
  if (shape->heads % shape->kv_heads != 0) {
    config.fail("num_key_value_heads",
                fmt::format("{} do not divide the {}", shape->kv_heads, heads));
  }
  const std::int64_t size = config.number("head_dim", shape->width / shape->heads);
  if (size == shape->width / shape->heads) return;
  config.fail("head_dim", fmt::format("{} is not the width {} shared among {}, which the counts "
                                      "assume; such networks are not supported",
                                      size, shape->width, heads));
}

}  // namespace

std::int64_t NetworkShape::positions() const {
  const auto* transformer = std::get_if<TransformerShape>(&shape);
  return transformer == nullptr || transformer->image_size > 0 ? 0 : transformer->positions;
}

NetworkShape read_shape(const std::string& path) {
  const Value root = load_yaml(path);
  const Config config(root);
  const std::string type = config.text("model_type", "");
  const auto family = std::ranges::find(kFamilies, type, &Family::model_type);
  if (family == std::end(kFamilies)) {
    std::vector<std::string_view> known;
    for (const Family& each : kFamilies) known.push_back(each.model_type);
    config.fail("model_type", fmt::format("{}; the families are {}",
                                          type.empty() ? "missing" : type + " is not known",
                                          fmt::join(known, ", ")));
  }
  NetworkShape shape = family->read(config);
  shape.family = type;
  shape.image_size = config.count("image_size", 0);
  check(config, shape);
  return shape;
}

NetworkShape shape_of(const ModelSpec& model) {
  if (model.network.empty()) return read_shape(model.config);
  const std::vector<std::string> names = library_names("networks");
  if (std::ranges::find(names, model.network) == names.end()) {
    const std::string near = nearest(model.network, names);
    throw InputError(
        fmt::format("the library has no network {}; {}there are {}; for another one write config: "
                    "a config.json",
                    model.network, near.empty() ? "" : fmt::format("did you mean {}? ", near),
                    fmt::join(names, ", ")));
  }
  return read_shape((library_folder() / "networks" / (model.network + ".yaml")).string());
}

std::int64_t sequence_of(const ModelSpec& model, const NetworkShape& shape) {
  constexpr std::int64_t kLongestUnasked = 8192;
  const std::int64_t most = shape.positions();
  if (model.sequence == 0) return std::min(most, kLongestUnasked);
  if (most == 0) {
    throw InputError(
        fmt::format("{} tokens, but the network reads images; remove it", model.sequence));
  }
  // MosaicML trained its shapes with longer sequences, too, and added the positions.
  if (model.sequence <= most || shape.family == "mpt") return model.sequence;
  throw InputError(fmt::format(
      "{} tokens, but the network has {} positions; write fewer, or a config: with more",
      model.sequence, most));
}

std::vector<LayerWork> layer_work(const NetworkShape& network, const WorkOptions& options) {
  if (const auto* rows = std::get_if<std::vector<ConvolutionShape>>(&network.shape)) {
    return layer_work(*rows, options);
  }
  TransformerShape shape = std::get<TransformerShape>(network.shape);
  if (shape.learned_positions) shape.positions = std::max(shape.positions, options.sequence);
  return layer_work(shape, options);
}

std::int64_t parameters_of(const NetworkShape& shape) {
  const auto layers = layer_work(shape, {.sequence = 1});
  return std::accumulate(
      layers.begin(), layers.end(), std::int64_t{0},
      [](std::int64_t sum, const LayerWork& layer) { return sum + layer.parameters; });
}

}  // namespace foretrain
