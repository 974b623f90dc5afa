// The keys of gradient messages, of the silence limit.
#pragma once

#include "models/payload/compression.h"
#include "models/protocol/registry.h"
#include "scenarios/language/field.h"
#include "scenarios/spec/scenario.h"

#include <string_view>

namespace foretrain {

template <class Visitor, Described<Compression> T>
void describe(Visitor& visit, T& compression) {
  visit.field({.key = "kind",
               .doc = "fp16: half precision; topk: the largest values, the rest is added to later "
                      "gradients; ratio: only forecasts: smaller by a ratio",
               .choices = {"none", "fp16", "topk", "ratio"}},
              compression.kind);
  // A share above a quarter, each number with its index, would save less than fp16 does.
  visit.field({.key = "share",
               .doc = "topk: share of the values of a bucket that is sent, at least one",
               .above = 0,
               .most = 0.25,
               .used = compression.kind == "topk",
               .unused_because = "only topk sends a share"},
              compression.share);
  visit.field({.key = "ratio",
               .doc = "ratio: size of a gradient over the size sent",
               .least = 1,
               .most = 1e6,
               .required = true,
               .used = compression.only_sizes(),
               .unused_because = "only kind ratio has a ratio"},
              compression.ratio);
  visit.field({.key = "encode",
               .doc = "simulate: CPU time per byte of the gradient, on either side; 0 ns: computed "
                      "for fp16 and topk, none for ratio",
               .least = 0,
               .most = 1e-3,
               .used = compression.wanted(),
               .unused_because = "without a kind nothing is encoded",
               .seconds = true},
              compression.encode_s);
}

template <class Visitor, Described<TrainingSpec> T>
void describe_losses(Visitor& visit, T& training) {
  const Protocol* protocol = find_protocol(training.strategy);
  visit.field({.key = "silence_limit",
               .doc = "a node is lost if it sends nothing for this time (plus the longest pause)",
               .least = 0.1,
               .most = 3600},
              training.silence_limit);
  const bool waits = protocol == nullptr || protocol->several_workers;
  visit.field(
      {.key = "rejoin_limit",
       .doc = "how long others wait for a lost node that they need; 0: not at all",
       .least = 0,
       .most = 1e6,
       .used = waits,
       .unused_because = "a single worker has nobody who waits for it; run --max-restarts restarts "
                         "from the newest checkpoint",
       .written = training.rejoin_limit.ns > 0},
      training.rejoin_limit);
}

/// The spelling of a bucket_size of zero bytes.
inline constexpr std::string_view kPerTensor = "per_tensor";

/// How gradients are split into messages.
template <class Visitor, Described<TrainingSpec> T>
void describe_travel(Visitor& visit, T& training) {
  const Protocol* protocol = find_protocol(training.strategy);
  const bool workers = protocol == nullptr || protocol->several_workers;
  visit.field({.key = "overlap",
               .doc = "send buckets while backpropagation computes others; off: for comparison",
               .used = workers,
               .unused_because = "a single worker sends nothing"},
              training.overlap);
  visit.field({.key = "bucket_size",
               .doc = "largest part of the parameters that is sent as one message; per_tensor: one "
                      "each for a layer's weights and biases (all_reduce: cut into pieces)",
               .least = 4,
               .most = 1e9,
               .used = workers,
               .unused_because = "a single worker sends nothing",
               .zero = kPerTensor},
              training.bucket_size);
  visit.field(
      {.key = "bucket_rule",
       .doc = "size: equal parts; ddp: as PyTorch's DistributedDataParallel: tensors, last one "
              "first, until bucket_size is reached; layer: each layer, as "
              "a unit of FSDP; a forward pass waits for all buckets",
       .choices = {"size", "ddp", "layer"},
       .used = workers,
       .unused_because = "a single worker sends nothing",
       .written = training.bucket_rule != "size"},
      training.bucket_rule);
  visit.field(
      {.key = "shard",
       .doc = "simulate: what is sharded among workers: none: each has and updates all, as in "
              "PyTorch's DDP; optimizer: its state (ZeRO 1); gradients: also gradients (ZeRO 2); "
              "parameters, or fsdp: also parameters, which are gathered before each layer (ZeRO 3; "
              "with group: sharded within a group, HSDP)",
       .choices = {"none", "optimizer", "gradients", "parameters", "fsdp"},
       .used = protocol == nullptr || protocol->shards,
       .unused_because = "only all_reduce can shard",
       .written = training.shard != "optimizer"},
      training.shard);
  if constexpr (!std::is_const_v<T>) {
    if (training.shard == "fsdp") training.shard = "parameters";
  }
  visit.field(
      {.key = "reduce",
       .doc = "simulate: when sharded gradients are reduced with accumulate: after each batch, as "
              "in DeepSpeed ZeRO 2 and 3 and FSDP; or once per step, as in FSDP with no_sync, "
              "which keeps a whole gradient in memory",
       .choices = {"batch", "step"},
       .used = protocol == nullptr || (protocol->shards && training.shard != "optimizer"),
       .unused_because = "only sharded gradients or parameters are reduced after each batch",
       .written = training.reduce != "batch"},
      training.reduce);
  visit.field(
      {.key = "local_sum",
       .doc = "simulate: workers of a host add up their gradients over its device_link; one of "
              "them pushes the sum to the servers and pulls for all",
       .used = protocol == nullptr || protocol->servers,
       .unused_because = "this strategy has no servers; use group to add up within hosts first",
       .written = training.local_reduction},
      training.local_reduction);
  visit.section(
      {.key = "compression",
       .doc = "compress what is sent: pushes to servers by fp16 or topk, sums among workers by "
              "fp16; in forecasts either by a ratio",
       .used = workers,
       .unused_because = "a single worker sends nothing",
       .written = training.compression.wanted(),
       .shorthand = "kind"},
      training.compression);
}

}  // namespace foretrain
