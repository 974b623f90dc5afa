// Transformers by their shape: parameters, work, activations of each layer.
#pragma once

#include "models/shapes/layer_work.h"

#include <cstdint>
#include <vector>

namespace foretrain {

/// The shape of a transformer. Its layers are an embedding, `layers` equal blocks of attention and
/// a feed-forward network, a head.
///
/// Sources: Vaswani and others 2017; GPT-2 (Radford and others 2019); BERT (Devlin and others
/// 2018); ViT (Dosovitskiy and others 2020); Llama (Touvron and others 2023), with grouped keys
/// and values (Ainslie and others 2023) and a gated network (Shazeer 2020).
struct TransformerShape {
  std::int64_t vocabulary = 0;  ///< 0: images
  std::int64_t width = 0;       ///< of the residual stream
  int layers = 0;
  int heads = 0;
  int kv_heads = 0;            ///< heads of keys and values
  std::int64_t inner = 0;      ///< width within the feed-forward network
  std::int64_t positions = 0;  ///< longest sequence
  bool learned_positions = false;
  bool gated = false;             ///< three matrices in the feed-forward network, two otherwise
  bool biases = false;            ///< of all matrices, and of norms
  bool attention_biases = false;  ///< of queries, keys, values
  bool causal = true;             ///< a token reads those before it, so half of the scores count
  bool tied = false;              ///< the head multiplies by the embedding
  int token_types = 0;            ///< BERT: embeddings of them; its embedding has a norm
  bool pooler = false;            ///< BERT: a matrix for the first token in place of a head
  int image_size = 0;             ///< pixels a side; 0: text
  int patch_size = 0;
  int classes = 0;  ///< images: outputs of the head

  /// Tokens that the blocks read for each example.
  [[nodiscard]] std::int64_t tokens(std::int64_t sequence) const;
  bool operator==(const TransformerShape&) const = default;
};

/// The layers from the embedding to the head.
///
/// Activations that a block keeps, for a token, in numbers: its input, both norms' outputs,
/// queries, keys, values, attention's output, the input of the second norm, then all that the
/// feed-forward network reads (2 inner; 4 inner if gated). Attention that is not fused also keeps 5
/// bytes a score (Korthikanti and others 2022). The head keeps its input, the logits, and the
/// softmax in 32 bits.
std::vector<LayerWork> layer_work(const TransformerShape& shape, const WorkOptions& options);

}  // namespace foretrain
