// What is trained: a function of parameters with its gradient, counted in operations.
#pragma once

#include "models/base/cost.h"
#include "models/base/random.h"
#include "models/data/dataset.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

/// The size of what a network reads and tells apart.
struct InputShape {
  int features = 0;
  int classes = 0;
};

/// Sums over the examples of an evaluation.
struct Score {
  double loss = 0;           ///< nats, summed
  std::int64_t correct = 0;  ///< examples whose likeliest class is their label
};

/// A network is immutable and shared by the workers of a process; what a computation scribbles on
/// is a Workspace, one a worker. The parameters are one vector of float.
class Network {
 public:
  class Workspace {
   public:
    virtual ~Workspace() = default;
  };

  virtual ~Network() = default;

  [[nodiscard]] virtual InputShape input() const = 0;
  [[nodiscard]] virtual std::int64_t parameters() const = 0;
  [[nodiscard]] virtual std::unique_ptr<Workspace> make_workspace() const = 0;

  /// Draws the parameters that a training starts from. `parameters`: [parameters()].
  virtual void initialize(Stream& stream, std::span<float> parameters) const = 0;

  /// The mean loss (nats) over `examples` of `data`, and its gradient into `gradient`:
  /// [parameters()], all of it written.
  virtual double gradient(std::span<const float> parameters, const Dataset& data,
                          std::span<const std::int64_t> examples, std::span<float> gradient,
                          Workspace& workspace) const = 0;

  /// The score over the examples [first, last) of `data`.
  virtual Score evaluate(std::span<const float> parameters, const Dataset& data, std::int64_t first,
                         std::int64_t last, Workspace& workspace) const = 0;

  /// What one gradient over `examples` costs.
  [[nodiscard]] virtual Cost gradient_cost(std::int64_t examples) const = 0;
  /// What evaluating `examples` costs.
  [[nodiscard]] virtual Cost evaluation_cost(std::int64_t examples) const = 0;
};

/// The networks by name, for messages and for `make_network`.
std::vector<std::string> network_names();
/// The network called `name`, which must be one of `network_names`.
std::shared_ptr<const Network> make_network(std::string_view name, InputShape shape);

/// Which vector instructions the kernels were compiled for: weights made by different sets are
/// not comparable. One of avx512, avx2, sse2.
std::string_view kernel_set();

}  // namespace foretrain
