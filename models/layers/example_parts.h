// Cuts a batch into parts for threads.
#pragma once

#include "models/base/parallel.h"
#include "models/layers/layer.h"

#include <algorithm>
#include <cstdint>
#include <functional>

namespace foretrain {

/// Work on fewer numbers than this is done sooner than handed to a thread (some 10 us).
constexpr std::int64_t kNumbersOfPart = 1 << 15;
constexpr int kPartsMax = 32;

/// The number of parts of a batch, by its shape alone.
inline int example_parts(std::int64_t batch, std::int64_t numbers_per_example) {
  const std::int64_t worth = batch * numbers_per_example / kNumbersOfPart;
  return static_cast<int>(
      std::clamp<std::int64_t>(worth, 1, std::clamp<std::int64_t>(batch, 1, kPartsMax)));
}

/// Calls `work(part, first, last)` for each part [first, last) of the examples.
template <class Work>
void for_examples(Parallel& parallel, std::int64_t batch, std::int64_t numbers_per_example,
                  const Work& work) {
  const int parts = example_parts(batch, numbers_per_example);
  if (parts == 1) {
    work(0, std::int64_t{0}, batch);
    return;
  }
  const auto run = [&](int part) { work(part, batch * part / parts, batch * (part + 1) / parts); };
  parallel.run(parts, std::cref(run));  // by reference: a copy in a std::function would allocate
}

/// Elementwise: calls `work(first, count)` for the numbers of each part of the examples.
template <class Work>
void for_numbers(const LayerPass& pass, std::int64_t numbers_per_example, const Work& work) {
  for_examples(*pass.parallel, pass.batch, numbers_per_example,
               [&](int /*part*/, std::int64_t first, std::int64_t last) {
                 work(first * numbers_per_example, (last - first) * numbers_per_example);
               });
}

}  // namespace foretrain
