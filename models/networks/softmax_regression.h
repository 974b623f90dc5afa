// Softmax regression: one dense layer under a cross-entropy loss.
#pragma once

#include "models/layers/dense.h"
#include "models/networks/network.h"

namespace foretrain {

/// On MNIST 784 x 10 + 10 = 7,850 parameters. Starts from zero: the loss is convex, and so every
/// class is as likely as any other before the first step.
class SoftmaxRegression : public Network {
 public:
  explicit SoftmaxRegression(InputShape shape);

  [[nodiscard]] InputShape input() const override { return {dense_.inputs, dense_.outputs}; }
  [[nodiscard]] std::int64_t parameters() const override { return dense_.parameters(); }
  [[nodiscard]] std::unique_ptr<Workspace> make_workspace() const override;
  void initialize(Stream& stream, std::span<float> parameters) const override;
  double gradient(std::span<const float> parameters, const Dataset& data,
                  std::span<const std::int64_t> examples, std::span<float> gradient,
                  Workspace& workspace) const override;
  Score evaluate(std::span<const float> parameters, const Dataset& data, std::int64_t first,
                 std::int64_t last, Workspace& workspace) const override;
  [[nodiscard]] Cost gradient_cost(std::int64_t examples) const override;
  [[nodiscard]] Cost evaluation_cost(std::int64_t examples) const override;

 private:
  Dense dense_;
};

}  // namespace foretrain
