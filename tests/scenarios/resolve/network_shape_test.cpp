// Networks by their shape: the library's against published counts, a user's config.json.
#include "scenarios/resolve/network_shape.h"

#include "tests/scenarios/messages.h"
#include "tests/support/places.h"
#include "tests/support/temp_folder.h"

#include <filesystem>
#include <fstream>
#include <numeric>
#include <regex>
#include <string>
#include <vector>

namespace foretrain {
namespace {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

std::vector<std::string> network_lines(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

NetworkShape named_network(const std::string& network) {
  ModelSpec model;
  model.network = network;
  return shape_of(model);
}

/// A config.json.
class ShapeConfig {
 public:
  explicit ShapeConfig(const std::string& text) { std::ofstream(path()) << text; }
  [[nodiscard]] std::string path() const { return folder_ / "config.json"; }
  [[nodiscard]] TransformerShape transformer() const {
    return std::get<TransformerShape>(read_shape(path()).shape);
  }
  /// The message without the folder.
  [[nodiscard]] std::string error() const {
    const std::string message = error_of([&] { read_shape(path()); });
    return message.starts_with(folder_.path()) ? message.substr(folder_.path().size() + 1)
                                               : message;
  }

 private:
  TempFolder folder_;
};

std::string config_error(const std::string& text) { return ShapeConfig(text).error(); }

TEST_CASE("network shape: the library's networks have as many parameters as was published") {
  const std::regex first("# .*(19|20)[0-9]{2}.*");
  const std::regex last("parameters: ([0-9]+)  # .*(19|20)[0-9]{2}.*");
  int networks = 0;
  for (const auto& file :
       std::filesystem::directory_iterator(source_dir() + "/scenarios/networks")) {
    if (file.path().extension() != ".yaml") continue;
    CAPTURE(file.path());
    const auto lines = network_lines(file.path());
    CHECK(std::regex_match(lines.front(), first));
    std::smatch found;
    REQUIRE(std::regex_match(lines.back(), found, last));
    CHECK(parameters_of(read_shape(file.path())) == std::stoll(found[1].str()));
    ++networks;
  }
  CHECK(networks >= 24);
}

// A second count, tensor by tensor from the modules of transformers and torchvision.
TEST_CASE("network shape: products and attention of two examples") {
  struct Counted {
    std::string network;
    double products;
    double attention;
  };
  const auto [network, products, attention] =
      GENERATE(Counted{"gpt2", 252.993602e9, 9.663676e9},
               Counted{"llama-3-8b", 15'369.540469e9, 137.438953e9},
               Counted{"qwen-2.5-7b", 14'479.945368e9, 105.226699e9},
               Counted{"bert-base-uncased", 173.948535e9, 19.327353e9},
               Counted{"vit-b-16", 67.394003e9, 2.861310e9}, Counted{"resnet50", 16.356737e9, 0},
               Counted{"inception-v3", 22.852864e9, 0});
  CAPTURE(network);
  const auto layers = layer_work(named_network(network), {.batch = 2, .sequence = 512});
  double found_products = 0;
  double found_attention = 0;
  for (const LayerWork& each : layers) {
    found_products += each.products;
    found_attention += each.attention;
  }
  CHECK(found_products == Approx(products).epsilon(1e-7));
  CHECK(found_attention == Approx(attention).epsilon(1e-6));
}

TEST_CASE("network shape: the released MPT 7B has neither positions nor biases") {
  const ShapeConfig mpt(R"({"model_type": "mpt", "vocab_size": 50432, "d_model": 4096,
    "n_layers": 32, "n_heads": 32, "max_seq_len": 2048, "expansion_ratio": 4, "no_bias": true,
    "learned_pos_emb": true, "attn_config": {"alibi": true, "alibi_bias_max": 8}})");
  CHECK(parameters_of({"mpt", mpt.transformer()}) == 6'649'286'656);
}

TEST_CASE("network shape: a config.json of the hub gives the library's shape") {
  const ShapeConfig llama(R"({
  "architectures": ["LlamaForCausalLM"], "attention_bias": false, "attention_dropout": 0.0,
  "bos_token_id": 128000, "hidden_act": "silu", "hidden_size": 4096, "initializer_range": 0.02,
  "intermediate_size": 14336, "max_position_embeddings": 8192, "model_type": "llama",
  "num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": 8,
  "pretraining_tp": 1, "rms_norm_eps": 1e-05, "rope_scaling": null, "rope_theta": 500000.0,
  "tie_word_embeddings": false, "torch_dtype": "bfloat16", "head_dim": 128, "use_cache": true,
  "vocab_size": 128256
})");
  CHECK(llama.transformer() == std::get<TransformerShape>(named_network("llama-3-8b").shape));
  const ShapeConfig gpt2(R"({"activation_function": "gelu_new", "model_type": "gpt2", "n_ctx": 1024,
  "n_embd": 768, "n_head": 12, "n_inner": null, "n_layer": 12, "n_positions": 1024,
  "task_specific_params": {"text-generation": {"do_sample": true, "max_length": 50}},
  "vocab_size": 50257})");
  CHECK(gpt2.transformer() == std::get<TransformerShape>(named_network("gpt2").shape));
  const ShapeConfig bert(R"({"hidden_act": "gelu", "hidden_size": 768, "intermediate_size": 3072,
  "layer_norm_eps": 1e-12, "max_position_embeddings": 512, "model_type": "bert",
  "num_attention_heads": 12, "num_hidden_layers": 12, "pad_token_id": 0, "type_vocab_size": 2,
  "vocab_size": 30522})");
  CHECK(bert.transformer() == std::get<TransformerShape>(named_network("bert-base-uncased").shape));
  const ShapeConfig qwen(R"({"hidden_size": 3584, "intermediate_size": 18944,
  "max_position_embeddings": 131072, "max_window_layers": 28, "model_type": "qwen2",
  "num_attention_heads": 28, "num_hidden_layers": 28, "num_key_value_heads": 4,
  "sliding_window": 131072, "tie_word_embeddings": false, "use_sliding_window": false,
  "vocab_size": 152064})");
  CHECK(qwen.transformer() == std::get<TransformerShape>(named_network("qwen-2.5-7b").shape));
}

TEST_CASE("network shape: a family that is not known is told those that are") {
  CHECK(config_error("{\"vocab_size\": 9,\n \"model_type\": \"mamba\"}") ==
        "config.json:2:16: model_type: mamba is not known; the families are llama, qwen2, gpt2, "
        "mpt, bert, vit, convolutions");
  CHECK_THAT(config_error("{\"vocab_size\": 9}"),
             StartsWith("config.json:1:1: model_type: missing; the families are llama, "));
  CHECK(config_error("[1, 2]") == "config.json:1:1: no mapping; a config.json has keys and values");
}

const std::string kSmallGpt2 = "model_type: gpt2\nvocab_size: 9\nn_embd: 8\nn_layer: 1\n";

TEST_CASE("network shape: an error names the line and the key") {
  CHECK(config_error(kSmallGpt2 + "n_positions: 4\n") ==
        "config.json:1:1: there is no n_head; write it");
  CHECK(config_error(kSmallGpt2 + "n_head: two\nn_positions: 4\n") ==
        "config.json:5:9: n_head: two is no whole number from 1 to 4096");
  CHECK_THAT(config_error(kSmallGpt2 + "n_head: [2]\nn_positions: 4\n"),
             StartsWith("config.json:5:9: n_head: "));
  CHECK_THAT(config_error(kSmallGpt2 + "n_head: 0\nn_positions: 4\n"),
             Contains("n_head: 0 is no whole"));
  CHECK_THAT(config_error(kSmallGpt2 + "n_head: 2\nn_positions: 1e9\n"),
             StartsWith("config.json:6:14: n_positions: 1e9 is no whole number from 1 to"));
  CHECK(config_error(kSmallGpt2 + "n_head: 2\nn_positions: 4\ntie_word_embeddings: maybe\n") ==
        "config.json:7:22: tie_word_embeddings: maybe; write true or false");
  CHECK(config_error(kSmallGpt2 + "n_head: 3\nn_positions: 4\n") ==
        "config.json:1:1: 3 heads do not divide the width 8");
  CHECK(config_error(kSmallGpt2 + "n_head: 2\nn_positions: 4\nhead_dim: 16\n") ==
        "config.json:7:11: head_dim: 16 is not the width 8 shared among 2 heads, which the counts "
        "assume; such networks are not supported");
  CHECK(error_of([] { read_shape("nowhere/config.json"); }) ==
        "nowhere/config.json: no such file; check the path");
}

TEST_CASE("network shape: keys of Llama and ViT that do not fit each other") {
  const std::string hidden =
      "hidden_size: 8\nintermediate_size: 8\nnum_hidden_layers: 1\nnum_attention_heads: 4\n";
  CHECK(config_error("model_type: llama\n" + hidden +
                     "num_key_value_heads: 3\nvocab_size: 9\nmax_position_embeddings: 4\n") ==
        "config.json:6:22: num_key_value_heads: 3 do not divide the 4 heads");
  CHECK(config_error("model_type: vit\n" + hidden + "image_size: 8\npatch_size: 16\n") ==
        "config.json:7:13: patch_size: 16 is more than image_size");
  CHECK_THAT(config_error("model_type: bert\nhidden_size: 16000000\nintermediate_size: 16000000\n"
                          "num_hidden_layers: 1\nnum_attention_heads: 4\nvocab_size: 9\n"
                          "max_position_embeddings: 4\n"),
             Contains("weights, more than 1e+13; check the sizes"));
}

TEST_CASE("network shape: convolutions in a list, by defaults") {
  const ShapeConfig file(
      "model_type: convolutions\nimage_size: 8\nlayers:\n"
      "  - {name: a, kernel: 1x7, in: 3, out: 4, side: 8, count: 2, norm: off, bias: on}\n"
      "  - {in: 4, out: 2}\n");
  const NetworkShape shape = read_shape(file.path());
  CHECK(shape.positions() == 0);
  const auto& rows = std::get<std::vector<ConvolutionShape>>(shape.shape);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0] == ConvolutionShape{"a", 1, 7, 3, 4, 8, 2, false, true});
  CHECK(rows[1] == ConvolutionShape{"layer1", 1, 1, 4, 2, 1, 1, true, false});
}

TEST_CASE("network shape: an error of a convolution names its row") {
  const auto refused = [](const std::string& row) {
    return config_error("model_type: convolutions\nlayers:\n  - {in: 3, out: 4}\n  - " + row +
                        "\n");
  };
  for (const std::string kernel : {"3x", "0", "x3", "3x3x3", "3.5"}) {
    CAPTURE(kernel);
    CHECK(refused("{in: 4, out: 4, kernel: " + kernel + "}") ==
          "config.json:4:29: layers[1].kernel: " + kernel +
              "; write the pixels of a side, 3, or of both, 1x7");
  }
  CHECK(refused("{out: 4}") == "config.json:4:5: layers[1]: there is no in; write it");
  CHECK(refused("{in: 4, out: 4, bias: yes}") ==
        "config.json:4:27: layers[1].bias: yes; write true or false");
  CHECK_THAT(refused("3"), StartsWith("config.json:4:5: layers[1]: no mapping"));
  CHECK(config_error("model_type: convolutions\n") ==
        "config.json:1:1: layers: missing; list the layers");
}

TEST_CASE("network shape: a name that the library has not is told with those near it") {
  CHECK_THAT(error_of([] { named_network("llama-3-9b"); }),
             StartsWith("the library has no network llama-3-9b; did you mean llama-3-8b? there are "
                        "bert-base-uncased, "));
  CHECK_THAT(error_of([] { named_network("../networks/gpt2"); }),
             StartsWith("the library has no network"));
}

TEST_CASE("network shape: a sequence has no more tokens than positions, but of MPT") {
  ModelSpec model;
  model.network = "gpt2";
  CHECK(sequence_of(model, named_network("gpt2")) == 1'024);
  CHECK(sequence_of(model, named_network("llama-3-8b")) == 8'192);
  CHECK(sequence_of(model, named_network("qwen-2.5-7b")) == 8'192);  // of 131,072
  CHECK(sequence_of(model, named_network("resnet50")) == 0);
  model.sequence = 4'096;
  CHECK(sequence_of(model, named_network("mpt-125m")) == 4'096);
  CHECK(sequence_of(model, named_network("llama-2-7b")) == 4'096);
  CHECK(error_of([&] { sequence_of(model, named_network("gpt2")); }) ==
        "4096 tokens, but the network has 1024 positions; write fewer, or a config: with more");
  const auto parameters = [&](std::int64_t sequence) {
    return layer_work(named_network("mpt-125m"), {.sequence = sequence}).front().parameters;
  };
  CHECK(parameters(4'096) == parameters(2'048) + (4'096 - 2'048) * 768);
  CHECK(parameters(16) == parameters(2'048));
  model.sequence = 4'097;
  CHECK(error_of([&] { sequence_of(model, named_network("llama-2-7b")); }) ==
        "4097 tokens, but the network has 4096 positions; write fewer, or a config: with more");
  CHECK(error_of([&] { sequence_of(model, named_network("resnet50")); }) ==
        "4097 tokens, but the network reads images; remove it");
}

}  // namespace
}  // namespace foretrain
