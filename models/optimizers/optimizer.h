// Optimizers: the rules by which a gradient changes the parameters.
#pragma once

#include "models/base/quantity.h"
#include "models/optimizers/schedule.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace foretrain {

/// Options only for biases; all others are as for weights.
struct BiasSpec {
  double rate_factor = 1;  ///< times the learning rate
  double weight_decay = 0;

  bool operator==(const BiasSpec&) const = default;
};

/// The optimizer in a scenario. The fields that a rule uses are listed at its name.
struct OptimizerSpec {
  std::string name = "sgd";
  double learning_rate = 0.1;      ///< factor of the gradient of the mean loss; ftrl: alpha
  double momentum = 0.9;           ///< momentum
  bool nesterov = false;           ///< momentum
  double beta1 = 0.9;              ///< adam
  double beta2 = 0.999;            ///< adam
  double epsilon = 1e-8;           ///< adam, adagrad
  double initial_accumulator = 0;  ///< adagrad: initial sum of squares
  double beta = 1;                 ///< ftrl
  double l1 = 0;                   ///< ftrl
  double l2 = 0;                   ///< ftrl
  double weight_decay = 0;         ///< L2 penalty: 0.5 x this x sum of w^2, added to the loss
  bool penalty_in_loss = false;    ///< the reported loss includes the penalty
  double clip_norm = 0;            ///< limit of the norm of a worker's gradient; 0: none
  BiasSpec biases{};
  ScheduleSpec schedule{};

  bool operator==(const OptimizerSpec&) const = default;
};

/// Consecutive parameters of one kind, as a network lists them.
struct ParameterBlock {
  std::int64_t first = 0;
  std::int64_t count = 0;
  int layer = 0;
  bool bias = false;
};

/// The place of an update in the training.
struct UpdateContext {
  std::int64_t version = 0;  ///< updates of these parameters before this one
  std::int64_t examples =
      0;  ///< examples whose gradients were applied before this one: schedules count them
};

struct Update;

/// An update rule. It works element by element, so any part of the parameters can be updated
/// separately, with its part of the state.
class Optimizer {
 public:
  explicit Optimizer(OptimizerSpec spec) : spec_(std::move(spec)) {}
  virtual ~Optimizer() = default;

  /// The number of state values for each parameter.
  [[nodiscard]] virtual int slots() const = 0;
  /// Initialises the state: to 0, unless the rule overrides it. `state`: [slots()][count].
  virtual void initialize(std::span<float> state) const;
  /// Operations on one parameter.
  [[nodiscard]] Flops flops_per_parameter() const;

  /// after = rule(before, gradient, state), all of one kind (weights, or biases). `after` may be
  /// `before`. `state`: slots() pointers to arrays of that length, changed in place.
  void apply(const UpdateContext& context, bool bias, std::span<const float> before,
             std::span<const float> gradient, std::span<float> after,
             std::span<float* const> state) const;

 protected:
  [[nodiscard]] const OptimizerSpec& spec() const { return spec_; }

 private:
  /// Operations without those of a penalty.
  [[nodiscard]] virtual double rule_flops() const = 0;
  virtual void update(const Update& u) const = 0;

  OptimizerSpec spec_;
};

std::vector<std::string> optimizer_names();
/// The optimizer named `spec.name`, which must be one of `optimizer_names`.
std::unique_ptr<const Optimizer> make_optimizer(const OptimizerSpec& spec);

/// The learning rate if a scenario names only the rule: the value in its source, or in PyTorch.
double default_learning_rate(std::string_view name);

/// Parameters with a gradient of zero keep the same bits, so that applying only the present rows of
/// a sparse gradient equals applying all (ftrl: from parameters of 0). True for sgd, adagrad and
/// ftrl without decay. Otherwise only the present rows change, with the numbers of updates and
/// examples of all: in absent rows momentum stops, moments do not decay, and the penalty has no
/// effect.
bool sparse_equals_dense(const OptimizerSpec& spec);

}  // namespace foretrain
