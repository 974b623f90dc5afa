// Dense matrices as Eigen sees our buffers.
#pragma once

#include <Eigen/Core>

namespace foretrain {

/// Rows are examples, or inputs of a layer; a row is contiguous.
using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::Matrix<float, 1, Eigen::Dynamic, Eigen::RowMajor>;

using MatrixView = Eigen::Map<const Matrix>;
using MutableMatrixView = Eigen::Map<Matrix>;
using VectorView = Eigen::Map<const Vector>;
using MutableVectorView = Eigen::Map<Vector>;

/// Fixes the cache sizes by which Eigen cuts a product into blocks. It would ask the processor, and
/// the order of a sum, hence its last bit, would depend on the machine. Called by every network.
void pin_product_blocking();

}  // namespace foretrain
