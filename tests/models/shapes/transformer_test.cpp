// The work of transformers, compared with sums by hand.
#include "models/shapes/transformer.h"

#include <catch2/catch.hpp>

namespace foretrain {
namespace {

/// 15 tokens of 4 numbers of 2 bytes.
constexpr WorkOptions kTokens{.batch = 3, .sequence = 5, .number_bytes = 2};

TransformerShape small_gpt2() {
  TransformerShape shape;
  shape.vocabulary = 11;
  shape.width = 4;
  shape.layers = 2;
  shape.heads = shape.kv_heads = 2;
  shape.inner = 16;
  shape.positions = 8;
  shape.learned_positions = shape.biases = shape.tied = true;
  return shape;
}

TransformerShape small_llama() {
  TransformerShape shape;
  shape.vocabulary = 10;
  shape.width = 4;
  shape.layers = 1;
  shape.heads = 2;
  shape.kv_heads = 1;
  shape.inner = 6;
  shape.positions = 8;
  shape.gated = true;
  return shape;
}

TransformerShape small_vit() {
  TransformerShape shape = small_gpt2();
  shape.vocabulary = shape.positions = 0;
  shape.causal = shape.tied = false;
  shape.image_size = 8;
  shape.patch_size = 4;
  shape.classes = 10;
  return shape;
}

TEST_CASE("transformer: layers are an embedding, the blocks, a head") {
  const auto layers = layer_work(small_gpt2(), kTokens);
  REQUIRE(layers.size() == 4);
  CHECK(layers[0].layer == "embedding");
  CHECK(layers[1].layer == "block1");
  CHECK(layers[2].layer == "block2");
  CHECK(layers[3].layer == "head");
  LayerWork second = layers[2];
  second.layer = "block1";
  CHECK(second == layers[1]);
  CHECK(layers[1].recomputable);
  CHECK_FALSE(layers[0].recomputable);
  CHECK_FALSE(layers[3].recomputable);
}

TEST_CASE("transformer: a block of GPT-2 has 12 d^2 + 13 d parameters") {
  CHECK(layer_work(small_gpt2(), kTokens)[1].parameters == 12 * 16 + 13 * 4);
  TransformerShape shape = small_gpt2();
  shape.width = 768;
  shape.inner = 3'072;
  shape.heads = shape.kv_heads = 12;
  CHECK(layer_work(shape, kTokens)[1].parameters == 7'087'872);
}

TEST_CASE("transformer: a block of Llama has gated matrices, narrow keys and values, no biases") {
  // Queries and output 4 x 4, keys and values 4 x 2, three of 4 x 6, two norms.
  CHECK(layer_work(small_llama(), kTokens)[1].parameters == 2 * 16 + 2 * 8 + 3 * 24 + 2 * 4);
  CHECK(layer_work(small_llama(), kTokens)[1].tensors == 9);
  TransformerShape qwen = small_llama();
  qwen.attention_biases = true;
  CHECK(layer_work(qwen, kTokens)[1].parameters == 128 + 4 + 2 + 2);
  TransformerShape shape = small_llama();
  shape.width = 4'096;
  shape.inner = 14'336;
  shape.heads = 32;
  shape.kv_heads = 8;
  CHECK(layer_work(shape, kTokens)[1].parameters == 218'112'000);  // Llama 3 8B
}

// [15, 4] x [4, 12], x [4, 4], x [4, 16], [15, 16] x [16, 4]: 2 m n k; edges: 2 (n k + m k + m n).
TEST_CASE("transformer: products of a block and their edges") {
  const LayerWork block = layer_work(small_gpt2(), kTokens)[1];
  CHECK(block.products == 2 * 15 * (48 + 16 + 64 + 64));
  CHECK(block.edges == Approx(2 * (48 + 60 + 180) + 2 * (16 + 60 + 60) + 2 * (64 + 60 + 240) +
                              2 * (64 + 240 + 60)));
  CHECK(block.moved == 15 * (10 * 4 + 2 * 16) * 2);
  CHECK(block.kernels == 4 + 6 + 1);
  const LayerWork gated = layer_work(small_llama(), kTokens)[1];
  CHECK(gated.products == 2 * 15 * (32 + 16 + 48 + 24));
  CHECK(gated.edges == Approx(2 * (32 + 60 + 120) + 2 * (16 + 60 + 60) + 2 * (48 + 60 + 180) +
                              2 * (24 + 90 + 60)));
  CHECK(gated.moved == 15 * (10 * 4 + 5 * 6) * 2);
  CHECK(gated.kernels == 4 + 8 + 1);
}

TEST_CASE("transformer: causal attention counts half of the scores") {
  TransformerShape shape = small_gpt2();
  CHECK(layer_work(shape, kTokens)[1].attention == 4 * 15 * 5 * 4 / 2);
  shape.causal = false;
  CHECK(layer_work(shape, kTokens)[1].attention == 4 * 15 * 5 * 4);
}

TEST_CASE("transformer: a block keeps what its backward pass reads") {
  const LayerWork block = layer_work(small_gpt2(), kTokens)[1];
  const int input = 4;
  const int norms = 4 + 4;
  const int heads = 4 + 4 + 4;  // queries, keys, values
  const int attended = 4;
  const int added = 4;  // input of the second norm
  const int inner = 16 + 16;
  CHECK(block.kept == 15 * 2 * (input + norms + heads + attended + added + inner));
  CHECK(block.kept_input == 15 * 2 * input);
  CHECK(block.kept_products == 15 * 2 * (input + heads + attended + added + 16));
  const LayerWork gated = layer_work(small_llama(), kTokens)[1];
  CHECK(gated.kept == 15 * 2 * (input + norms + (4 + 2 + 2) + attended + added + 4 * 6));
  CHECK(gated.kept_products == 15 * 2 * (input + (4 + 2 + 2) + attended + added + 2 * 6));
}

// Six heads of examples multiply [5, 2] x [2, 5], then [5, 5] x [5, 2].
TEST_CASE("transformer: plain attention multiplies, moves and keeps its scores") {
  WorkOptions options = kTokens;
  const LayerWork fused = layer_work(small_gpt2(), options)[1];
  options.fused_attention = false;
  const LayerWork plain = layer_work(small_gpt2(), options)[1];
  const double scores = 3 * 2 * 5 * 5;
  CHECK(plain.attention == 0);
  CHECK(plain.products == Approx(fused.products + 6 * (2 * 50 + 2 * 50)));
  CHECK(plain.edges == Approx(fused.edges + 6 * 2 * 2 * (10 + 10 + 25)));
  CHECK(plain.moved == fused.moved + 6 * scores * 2);
  CHECK(plain.kept == fused.kept + 5 * scores);
  CHECK(plain.kept_products == fused.kept_products);
  CHECK(plain.kernels == fused.kernels - 1 + 4);
}

TEST_CASE("transformer: the embedding and the head of a text") {
  const auto layers = layer_work(small_gpt2(), kTokens);
  CHECK(layers[0].parameters == 11 * 4 + 8 * 4);
  CHECK(layers[0].products == 0);
  CHECK(layers[0].moved == 15 * 2 * 4 * 2);
  CHECK(layers[0].kept == 0);
  // The norm alone, as its matrix is the embedding; 15 x 11 logits.
  const LayerWork& head = layers.back();
  CHECK(head.parameters == 2 * 4);
  CHECK(head.products == 2 * 15 * 11 * 4);
  CHECK(head.moved == 15 * 2 * 4 * 2 + 165 * (2 * 2 + 2 * 4));
  CHECK(head.kept == 15 * 4 * 2 + 165 * (2 + 4));
  CHECK(layer_work(small_llama(), kTokens).front().parameters == 10 * 4);
  CHECK(layer_work(small_llama(), kTokens).back().parameters == 4 + 10 * 4);
}

TEST_CASE("transformer: BERT has types of tokens, and a pooler in place of a head") {
  TransformerShape shape = small_gpt2();
  shape.token_types = 2;
  shape.pooler = true;
  shape.causal = shape.tied = false;
  const auto layers = layer_work(shape, kTokens);
  CHECK(layers[0].parameters == 11 * 4 + 8 * 4 + 2 * 4 + 2 * 4);
  CHECK(layers[0].kept == 15 * 4 * 2);
  CHECK(layers.back().parameters == 4 * 4 + 4);
  CHECK(layers.back().products == 2 * 3 * 4 * 4);  // of the first token of each example
}

TEST_CASE("transformer: images are patches with a class token") {
  const TransformerShape shape = small_vit();
  CHECK(shape.tokens(0) == 5);
  CHECK(shape.tokens(77) == 5);
  const auto layers = layer_work(shape, {.batch = 3, .sequence = 0, .number_bytes = 2});
  CHECK(layers[0].parameters == (48 * 4 + 4) + 4 + 5 * 4);
  CHECK(layers[0].products == 2 * (3 * 4) * 4 * 48);  // the class token is no patch
  CHECK(layers[1] == [&] {
    TransformerShape text = small_gpt2();
    text.causal = false;
    return layer_work(text, kTokens)[1];
  }());
  CHECK(layers.back().parameters == 2 * 4 + 4 * 10 + 10);
  CHECK(layers.back().products == 2 * 3 * 10 * 4);
}

}  // namespace
}  // namespace foretrain
