#include "models/layers/dense.h"

#include "models/base/check.h"

namespace foretrain {

void Dense::forward(std::span<const float> parameters, const Matrix& input, Matrix& output) const {
  FT_CHECK_OP(static_cast<std::int64_t>(parameters.size()), ==, this->parameters());
  FT_CHECK_OP(input.cols(), ==, inputs);
  const MatrixView weights(parameters.data(), inputs, outputs);
  const VectorView bias(parameters.data() + weights.size(), outputs);
  output.noalias() = input * weights;
  output.rowwise() += bias;
}

void Dense::backward(const Matrix& input, const Matrix& output_gradient,
                     std::span<float> gradient) const {
  FT_CHECK_OP(static_cast<std::int64_t>(gradient.size()), ==, parameters());
  MutableMatrixView weights(gradient.data(), inputs, outputs);
  MutableVectorView bias(gradient.data() + weights.size(), outputs);
  weights.noalias() = input.transpose() * output_gradient;
  bias = output_gradient.colwise().sum();
}

Cost Dense::forward_cost(std::int64_t batch) const {
  return {Flops{2.0 * static_cast<double>(batch) * inputs * outputs},
          Bytes{4 * (batch * (inputs + outputs) + parameters())}};
}

Cost Dense::backward_cost(std::int64_t batch) const { return forward_cost(batch); }

}  // namespace foretrain
