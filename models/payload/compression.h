// Compression of gradients before a worker pushes them.
#pragma once

#include "models/base/cost.h"
#include "models/base/quantity.h"
#include "models/tensor/payload.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace foretrain {

/// `training.compression`: the content of a bucket's push. The server expands it to floats on
/// arrival, and continues as without compression; answers are not compressed.
///
///     kind    a push of n numbers, in bytes   what it is
///     none    4 n                             the gradient
///     fp16    2 n                             each number as IEEE half precision (half.h)
///     topk    8 + 8 k, k = share x n          the k largest, with their places (SparsePush)
///     ratio   4 n / ratio                     a size, only in forecasts
///
/// Workers that sum among themselves send sums in fp16: each converts received sums to floats, adds
/// its own part, and converts the sum to halves again. New values go back as a difference in halves
/// (all_reduce.h). With topk they would have to send the places of all numbers; parameters, which
/// local_sgd averages, need more digits than halves. With ratio sums and new values are both
/// smaller by it, as on devices that add in fp16.
///
/// fp16 does not compensate for rounding, half a unit in the 11th bit: so a worker that comes back
/// makes the same push. topk has a memory (Stich, Cordonnier, Jaggi 2018; Karimireddy, Rebjock,
/// Stich, Jaggi 2019; Lin, Han, Mao, Wang, Dally 2018): the part that a push leaves out is added to
/// the next gradient. So it is delayed, not lost; but a push that a server drops as too late is
/// lost, as is the memory of a lost worker. Each bucket sends its own share, at least one number,
/// because it leaves before the others are computed: the selection depends on where buckets begin.
/// The first of equal numbers is selected: equal gradients are equal pushes everywhere.
struct Compression {
  std::string kind = "none";  ///< none | fp16 | topk | ratio
  double share = 0.01;        ///< topk: share of the numbers of a bucket, above 0
  double ratio = 1;           ///< ratio: bytes of the gradient over bytes of the push, at least 1
  /// In forecasts: CPU time for each byte of the gradient, at the worker and at the server, s. 0:
  /// the counted cost of fp16, topk; nothing for ratio.
  double encode_s = 0;

  [[nodiscard]] bool wanted() const { return kind != "none"; }
  /// A worker saves the part that its pushes leave out.
  [[nodiscard]] bool keeps_rest() const { return kind == "topk"; }
  /// The arriving numbers would be undefined, so it is only for sizes without numbers.
  [[nodiscard]] bool only_sizes() const { return kind == "ratio"; }
  /// Sums among workers are compressed by each sender, and expanded by the next worker.
  [[nodiscard]] bool converts_sums() const { return kind == "fp16"; }
  bool operator==(const Compression&) const = default;
};

/// The size of a push of `count` numbers.
Bytes compressed_size(const Compression& compression, std::int64_t count);

/// The push of `gradient`; without numerics its size. `rest`: the part that earlier pushes left
/// out, updated by this one; empty unless `keeps_rest`. Not for `ratio` with numbers.
Payload compress(const Compression& compression, const Payload& gradient, std::span<float> rest);

/// The gradient of `count` numbers in such a push, 0 for the numbers left out; nothing if the push
/// is malformed.
std::optional<Payload> expand(const Compression& compression, const Payload& push,
                              std::int64_t count);

/// The cost of either.
Cost compress_cost(const Compression& compression, std::int64_t count);
Cost expand_cost(const Compression& compression, std::int64_t count);

}  // namespace foretrain
