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
               .doc = "fp16: half precision; topk: the largest numbers, the rest with the next "
                      "ones; ratio: forecasts, so much smaller",
               .choices = {"none", "fp16", "topk", "ratio"}},
              compression.kind);
  // A share above a quarter, each number with its index, would save less than fp16 does.
  visit.field({.key = "share",
               .doc = "topk: share of the numbers of a bucket that is sent, one at least",
               .above = 0,
               .most = 0.25,
               .used = compression.kind == "topk",
               .unused_because = "only topk sends a share"},
              compression.share);
  visit.field({.key = "ratio",
               .doc = "ratio: bytes of a gradient over bytes of its push",
               .least = 1,
               .most = 1e6,
               .required = true,
               .used = compression.only_sizes(),
               .unused_because = "only kind ratio is given one"},
              compression.ratio);
  visit.field({.key = "encode",
               .doc = "simulate: CPU time a byte of the gradient, on either side; 0 ns: what is "
                      "counted of fp16, topk; of ratio nothing",
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
               .doc = "a node that says nothing for so long, beyond the longest pause, is lost",
               .least = 0.1,
               .most = 3600},
              training.silence_limit);
  const bool waits = protocol == nullptr || protocol->several_workers;
  visit.field({.key = "rejoin_limit",
               .doc = "so long others wait for a lost node that they cannot go on without; 0: not",
               .least = 0,
               .most = 1e6,
               .used = waits,
               .unused_because = "nobody is left to wait for its worker; run --max-restarts begins "
                                 "again from the newest checkpoint",
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
               .doc = "buckets leave while backpropagation computes others; off, for study",
               .used = workers,
               .unused_because = "one worker alone sends nothing"},
              training.overlap);
  visit.field({.key = "bucket_size",
               .doc = "largest part of the parameters that travels by itself; per_tensor: "
                      "a layer's weights are one, its biases another",
               .least = 4,
               .most = 1e9,
               .used = workers,
               .unused_because = "one worker alone sends nothing",
               .zero = kPerTensor},
              training.bucket_size);
  visit.field(
      {.key = "bucket_rule",
       .doc = "size: equal parts; ddp: as PyTorch's DistributedDataParallel, tensors from the "
              "last one until bucket_size is reached; a forward pass waits for all",
       .choices = {"size", "ddp"},
       .used = workers,
       .unused_because = "one worker alone sends nothing",
       .written = training.bucket_rule != "size"},
      training.bucket_rule);
  visit.field(
      {.key = "shard",
       .doc =
           "simulate: of what each worker has its own part alone: optimizer: its state (ZeRO 1); "
           "gradients: they, too (ZeRO 2); parameters: they, too, gathered before each layer "
           "(ZeRO 3, FSDP; with group: in parts within a group alone, HSDP)",
       .choices = {"optimizer", "gradients", "parameters"},
       .used = protocol == nullptr || protocol->shards,
       .unused_because = "only workers of all_reduce have the optimizer's state in parts",
       .written = training.shard != "optimizer"},
      training.shard);
  visit.field(
      {.key = "reduce",
       .doc =
           "simulate: of gradients in parts, with accumulate: after each batch, as DeepSpeed's "
           "ZeRO 2 and 3, FSDP; or once a step, as FSDP under no_sync, which takes a gradient of "
           "all parameters in memory",
       .choices = {"batch", "step"},
       .used = protocol == nullptr || (protocol->shards && training.shard != "optimizer"),
       .unused_because = "only gradients in parts (shard: gradients, parameters) are reduced after "
                         "each batch",
       .written = training.reduce != "batch"},
      training.reduce);
  visit.field(
      {.key = "local_sum",
       .doc = "simulate: workers of a host add up their gradients over its device_link; one "
              "of them pushes the sum to the servers, pulls for all",
       .used = protocol == nullptr || protocol->servers,
       .unused_because = "this strategy has no servers; group has hosts add up first",
       .written = training.local_sum},
      training.local_sum);
  visit.section(
      {.key = "compression",
       .doc = "what workers push to servers is made smaller: fp16, topk; sums among workers "
              "by fp16; in forecasts either by a ratio",
       .used = workers,
       .unused_because = "one worker alone sends nothing",
       .written = training.compression.wanted(),
       .shorthand = "kind"},
      training.compression);
}

}  // namespace foretrain
