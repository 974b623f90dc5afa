// The keys of how gradients are made smaller before they travel.
#pragma once

#include "models/protocol/compression.h"
#include "scenarios/describe/field.h"

namespace foretrain {

template <class Visitor, Described<Compression> T>
void describe(Visitor& visit, T& compression) {
  visit.field({.key = "kind",
               .doc = "fp16: half precision; topk: the largest numbers, the rest with the next "
                      "ones; ratio: forecasts, so much smaller",
               .choices = {"none", "fp16", "topk", "ratio"}},
              compression.kind);
  // More than a quarter, each with its place, would save less than fp16 does.
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

}  // namespace foretrain
