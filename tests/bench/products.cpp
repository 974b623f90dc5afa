#include "tests/bench/products.h"

#include "models/base/random.h"
#include "models/layers/conv2d.h"
#include "models/layers/dense.h"
#include "models/tensor/floats.h"
#include "models/tensor/simd.h"
#include "tests/bench/common/bench_options.h"

#include <Eigen/Core>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <vector>

namespace foretrain::bench {
namespace {
using Clock = std::chrono::steady_clock;
using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using MatrixMap = Eigen::Map<Matrix>;

/// A layer of our networks. Dense: `conv.size` is 0, units are `conv.channels`.
struct Subject {
  const char* network;
  Shape input;
  ConvShape conv;
};

const Subject kSubjects[] = {
    {"softmax", {1, 1, 784}, {10, 0}},
    {"mlp", {1, 1, 784}, {128, 0}},
    {"lenet", {28, 28, 1}, {6, 5, 1, 2}},
    {"lenet", {14, 14, 6}, {16, 5}},
    {"lenet", {1, 1, 400}, {120, 0}},
    {"lenet", {1, 1, 120}, {84, 0}},
    {"lenet", {1, 1, 84}, {10, 0}},
    {"lenet_large", {28, 28, 1}, {32, 5, 1, 2}},
    {"lenet_large", {14, 14, 32}, {64, 5, 1, 2}},
    {"lenet_large", {1, 1, 3136}, {1024, 0}},
    {"lenet_large", {1, 1, 1024}, {10, 0}},
    {"alexnet_cifar", {24, 24, 3}, {64, 5, 1, 2}},
    {"alexnet_cifar", {12, 12, 64}, {64, 5, 1, 2}},
    {"alexnet_cifar", {1, 1, 2304}, {384, 0}},
    {"alexnet_cifar", {1, 1, 384}, {192, 0}},
    {"alexnet_cifar", {1, 1, 192}, {10, 0}},
};

std::unique_ptr<const Layer> make(const Subject& of) {
  if (of.conv.size > 0) return std::make_unique<const Conv2d>(of.input, of.conv, true);
  return std::make_unique<const Dense>(of.input.channels, of.conv.channels, true);
}

Matrix draw(std::int64_t rows, std::int64_t columns) {
  Stream stream(1, "bench.products");
  Matrix drawn(rows, columns);
  for (float& x : drawn.reshaped()) x = static_cast<float>(stream.normal());
  return drawn;
}

/// The same layer with Eigen's products; a convolution copies its windows image by image, so that
/// they stay in the cache.
class ByEigen {
 private:
  template <class M>
  auto image_of(M& x, std::int64_t i) const {
    return x.row(i).template reshaped<Eigen::RowMajor>(of_.input.rows,
                                                       of_.input.columns * of_.input.channels);
  }
  auto middle() {
    const int channels = of_.input.channels;
    return padded_.block(of_.conv.padding, of_.conv.padding * channels, of_.input.rows,
                         of_.input.columns * channels);
  }

 public:
  ByEigen(const Subject& of, const Layer& layer, const float* parameters)
      : of_(of),
        out_(layer.output()),
        windows_(of.conv.size > 0 ? out_.pixels() : 0, layer.weights() / of.conv.channels),
        spread_(windows_.rows(), windows_.cols()),
        padded_(of.input.rows + 2 * of.conv.padding,
                (of.input.columns + 2 * of.conv.padding) * of.input.channels),
        weights_(Eigen::Map<const Matrix>(parameters, windows_.cols(), of.conv.channels)),
        bias_(
            Eigen::Map<const Eigen::RowVectorXf>(parameters + layer.weights(), of.conv.channels)) {
    padded_.setZero();
  }

  void forward(const Matrix& x, Matrix& y) {
    if (of_.conv.size == 0) {
      y.noalias() = x * weights_;
      y = (y.rowwise() + bias_).cwiseMax(0.0F);
      return;
    }
    for (std::int64_t i = 0; i < x.rows(); ++i) {
      copy_windows(x, i);
      auto own = image(y, i);
      own.noalias() = windows_ * weights_;
      own = (own.rowwise() + bias_).cwiseMax(0.0F);
    }
  }

  /// dy: already multiplied by the ReLU's gradient.
  void by_weights(const Matrix& x, Matrix& dy, Matrix& dw) {
    if (of_.conv.size == 0) {
      dw.noalias() = x.transpose() * dy;
      return;
    }
    dw.setZero();
    for (std::int64_t i = 0; i < x.rows(); ++i) {
      copy_windows(x, i);
      dw.noalias() += windows_.transpose() * image(dy, i);
    }
  }

  void by_input(Matrix& dy, Matrix& dx) {
    if (of_.conv.size == 0) {
      dx.noalias() = dy * weights_.transpose();
      return;
    }
    for (std::int64_t i = 0; i < dy.rows(); ++i) {
      spread_.noalias() = image(dy, i) * weights_.transpose();
      padded_.setZero();
      for_runs([&](auto pixel, auto place, auto run) {
        run += spread_.row(pixel).segment(place, run.size());
      });
      image_of(dx, i) = middle();
    }
    padded_.setZero();
  }

 private:
  MatrixMap image(Matrix& y, std::int64_t i) const {
    return {&y(i, 0), out_.pixels(), out_.channels};
  }
  /// Calls body(output pixel, offset in its window, numbers of the padded image) for each row of
  /// each window.
  template <class Body>
  void for_runs(const Body& body) {
    const int run = of_.conv.size * of_.input.channels;
    for (int pixel = 0; pixel < out_.pixels(); ++pixel) {
      const int y = pixel / out_.columns * of_.conv.stride;
      const int x = pixel % out_.columns * of_.conv.stride * of_.input.channels;
      for (int ky = 0; ky < of_.conv.size; ++ky) {
        body(pixel, ky * run, padded_.row(y + ky).segment(x, run));
      }
    }
  }
  void copy_windows(const Matrix& x, std::int64_t i) {
    middle() = image_of(x, i);
    for_runs([&](auto pixel, auto place, auto run) {
      windows_.row(pixel).segment(place, run.size()) = run;
    });
  }

  Subject of_;
  Shape out_;
  Matrix windows_;
  Matrix spread_;
  Matrix padded_;
  Matrix weights_;
  Eigen::RowVectorXf bias_;
};

template <class Body>
double seconds_of(const Body& body) {
  const auto start = Clock::now();
  body();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// GFLOP/s of ours and Eigen's in alternating rounds.
class Figure {
 public:
  template <class Ours, class Eigens>
  void round(const Ours& ours, const Eigens& eigens) {
    ours_.push_back(1e-9 / seconds_of(ours));
    eigens_.push_back(1e-9 / seconds_of(eigens));
  }
  [[nodiscard]] Result row(const std::string& name, double flops) const {
    Result row = result_of(name, "GFLOP/s", Better::more, times(ours_, flops));
    set_peer(row, "Eigen", times(eigens_, flops));
    return row;
  }

 private:
  static std::vector<double> times(std::vector<double> rates, double flops) {
    for (double& rate : rates) rate *= flops;
    return rates;
  }

  std::vector<double> ours_;
  std::vector<double> eigens_;
};

void compare(const Subject& of, std::int64_t batch, double seconds, Report& report) {
  const std::unique_ptr<const Layer> layer = make(of);
  const Shape out = layer->output();
  Matrix x = draw(batch, of.input.size());
  Matrix y(batch, out.size());
  Matrix dy = draw(batch, out.size());
  Matrix dx(batch, of.input.size());
  Matrix parameters = draw(1, layer->parameters());
  Matrix gradient(1, layer->parameters());
  Matrix dw(layer->weights() / of.conv.channels, of.conv.channels);
  Floats scratch;
  scratch.reserve(static_cast<std::size_t>(layer->scratch_floats(batch, Simd::kCount)));
  Serial serial;
  ForwardPass forward;
  BackwardPass backward;
  for (LayerPass* pass : {static_cast<LayerPass*>(&forward), static_cast<LayerPass*>(&backward)}) {
    pass->batch = batch;
    pass->input = x.data();
    pass->parameters = {parameters.data(), static_cast<std::size_t>(parameters.size())};
    pass->scratch = scratch.data();
    pass->parallel = &serial;
  }
  forward.output = y.data();
  backward.output = y.data();
  backward.output_gradient = dy.data();
  backward.gradient = {gradient.data(), static_cast<std::size_t>(gradient.size())};
  BackwardPass both = backward;
  both.input_gradient = dx.data();
  ByEigen eigen(of, *layer, parameters.data());
  Figure forwards;
  Figure weights;
  Figure boths;
  const auto begin = Clock::now();
  do {
    forwards.round([&] { layer->forward(forward); }, [&] { eigen.forward(x, y); });
    weights.round([&] { layer->backward(backward); }, [&] { eigen.by_weights(x, dy, dw); });
    boths.round([&] { layer->backward(both); },
                [&] {
                  eigen.by_weights(x, dy, dw);
                  eigen.by_input(dy, dx);
                });
  } while (std::chrono::duration<double>(Clock::now() - begin).count() < seconds);
  const double flops = 2.0 * static_cast<double>(batch * out.pixels() * layer->weights());
  const std::string name =
      fmt::format("products/{}/{}/{}", of.network, layer->name(), to_string(of.input));
  report.add(forwards.row(name + "/forward", flops));
  report.add(weights.row(name + "/by_weights", flops));
  report.add(boths.row(name + "/by_weights_input", 2 * flops));
}

}  // namespace

void products(const std::vector<std::string>& arguments, Report& report) {
  const bool smoke = read_options(arguments, {"--smoke"}).smoke;
  for (const Subject& of : kSubjects) compare(of, smoke ? 2 : 64, smoke ? 0 : 1, report);
}

}  // namespace foretrain::bench
