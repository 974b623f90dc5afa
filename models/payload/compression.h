// How a gradient is made smaller before a worker pushes it.
#pragma once

#include "models/base/cost.h"
#include "models/base/quantity.h"
#include "models/tensor/payload.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace foretrain {

/// `training.compression`: what the push of a bucket carries. The server makes floats of it as it
/// comes, and goes on as it does without; answers stay whole.
///
///     kind    a push of n numbers, in bytes   what it is
///     none    4 n                             the gradient
///     fp16    2 n                             each number as IEEE half precision (half.h)
///     topk    8 + 8 k, k = share x n          the k largest, with their places (SparsePush)
///     ratio   4 n / ratio                     a size, in forecasts that carry nothing out
///
/// Workers that add up among themselves send sums in fp16: each makes floats of what comes, adds
/// its own part, makes halves again. What goes back is a difference in halves (all_reduce.h). Of
/// topk they would have to send the places of all; parameters, which local_sgd averages, have more
/// digits than halves. ratio: so much smaller are sums as new values, as where devices add up in
/// fp16.
///
/// fp16 keeps nothing of what rounding takes, half a unit in the 11th bit: so a worker that comes
/// back makes the same push. topk has a memory (Stich, Cordonnier, Jaggi 2018; Karimireddy,
/// Rebjock, Stich, Jaggi 2019; Lin, Han, Mao, Wang, Dally 2018): what a push leaves out is added to
/// the next gradient. So nothing is lost, it comes later; but what a server drops as too late, and
/// what a lost worker had kept. Each bucket sends its own share, one number at least, because it
/// leaves before the others are computed: which numbers those are depends on where buckets begin.
/// Of two of one size the one in front goes first: equal gradients are equal pushes everywhere.
struct Compression {
  std::string kind = "none";  ///< none | fp16 | topk | ratio
  double share = 0.01;        ///< topk: of the numbers of a bucket, above 0
  double ratio = 1;           ///< ratio: bytes of the gradient over bytes of the push, 1 or more
  /// In forecasts: CPU time a byte of the gradient, on the worker as on the server, s. 0: what is
  /// counted of fp16, topk; of ratio nothing.
  double encode_s = 0;

  [[nodiscard]] bool wanted() const { return kind != "none"; }
  /// A worker keeps what its pushes leave out.
  [[nodiscard]] bool keeps_rest() const { return kind == "topk"; }
  /// It changes which numbers arrive, so it needs numbers.
  [[nodiscard]] bool only_sizes() const { return kind == "ratio"; }
  /// Sums among workers are made smaller at each of them, and are numbers again at the next.
  [[nodiscard]] bool converts_sums() const { return kind == "fp16"; }
  bool operator==(const Compression&) const = default;
};

/// Of the push of so many numbers.
Bytes compressed_size(const Compression& compression, std::int64_t count);

/// The push of `gradient`; a size of a size. `rest`: what earlier pushes left out, then this one
/// too; empty but where `keeps_rest`. Not of `ratio` with numbers.
Payload compress(const Compression& compression, const Payload& gradient, std::span<float> rest);

/// The gradient of `count` numbers that such a push is of, 0 what it leaves out; nothing where it
/// is malformed.
std::optional<Payload> expand(const Compression& compression, const Payload& push,
                              std::int64_t count);

/// What either takes.
Cost compress_cost(const Compression& compression, std::int64_t count);
Cost expand_cost(const Compression& compression, std::int64_t count);

}  // namespace foretrain
