// The networks by name: a new one is a function here, plus its line in the table.
#include "models/networks/registry.h"

#include "models/base/check.h"
#include "models/tensor/simd.h"

#include <algorithm>
#include <initializer_list>

namespace foretrain {
namespace {

const Initializer kZero{.kind = "zero"};
const Initializer kHe{.kind = "he"};
const Initializer kGlorot{.kind = "glorot"};

Initializer normal(double deviation, double bias) {
  return {.kind = "normal", .deviation = deviation, .bias = bias};
}

Initializer truncated(double deviation, double bias) {
  return {.kind = "normal", .deviation = deviation, .truncated = true, .bias = bias};
}

LayerSpec relu() { return {.kind = "relu"}; }
LayerSpec flatten() { return {.kind = "flatten"}; }
LayerSpec dropout() { return {.kind = "dropout"}; }
LayerSpec batch_norm() { return {.kind = "batch_norm"}; }
LayerSpec dense(int units, const Initializer& init) {
  return {.kind = "dense", .units = units, .init = init};
}
LayerSpec conv(int units, int size, int stride, int padding, const Initializer& init) {
  return {.kind = "conv",
          .units = units,
          .size = size,
          .stride = stride,
          .padding = padding,
          .init = init};
}
LayerSpec max_pool(int size, int stride, int padding = 0) {
  return {.kind = "max_pool", .size = size, .stride = stride, .padding = padding};
}
void append(NetworkSpec& spec, std::initializer_list<LayerSpec> layers) {
  spec.layers.insert(spec.layers.end(), layers);
}
constexpr int kClasses = 0;  // units of the last layer: the number of classes

/// Starts from zero: the loss is convex, and all classes are equally likely.
NetworkSpec softmax(const NetworkOptions& /*options*/) { return {{dense(kClasses, kZero)}}; }

NetworkSpec mlp(const NetworkOptions& options) {
  NetworkSpec spec;
  for (const int units : options.hidden) {
    spec.layers.push_back(dense(units, kHe));
    spec.layers.push_back(relu());
  }
  spec.layers.push_back(dense(kClasses, kGlorot));
  return spec;
}

/// LeNet-5 (LeCun et al. 1998) in its usual later form: rectifiers, maximum pools, no sparse table
/// of connections. Initialised as by default in Keras (Glorot, biases 0).
NetworkSpec lenet(const NetworkOptions& /*options*/) {
  return {{conv(6, 5, 1, 2, kGlorot), relu(), max_pool(2, 2), conv(16, 5, 1, 0, kGlorot), relu(),
           max_pool(2, 2), flatten(), dense(120, kGlorot), relu(), dense(84, kGlorot), relu(),
           dense(kClasses, kGlorot)}};
}

/// The network of TensorFlow's MNIST tutorial for experts: truncated normal 0.1, biases 0.1.
NetworkSpec lenet_large(const NetworkOptions& /*options*/) {
  const Initializer init = truncated(0.1, 0.1);
  return {{conv(32, 5, 1, 2, init), relu(), max_pool(2, 2), conv(64, 5, 1, 2, init), relu(),
           max_pool(2, 2), flatten(), dense(1024, init), relu(), dense(kClasses, init)}};
}

/// Krizhevsky 2014 ("One weird trick"), the one-column AlexNet. Weights N(0, 0.01), biases 1 in the
/// second, fourth, fifth convolution and the hidden dense layers, else 0 (Krizhevsky et al. 2012).
NetworkSpec alexnet(const NetworkOptions& /*options*/) {
  const Initializer zero_bias = normal(0.01, 0);
  const Initializer one_bias = normal(0.01, 1);
  return {{conv(64, 11, 4, 2, zero_bias),
           relu(),
           max_pool(3, 2),
           conv(192, 5, 1, 2, one_bias),
           relu(),
           max_pool(3, 2),
           conv(384, 3, 1, 1, zero_bias),
           relu(),
           conv(256, 3, 1, 1, one_bias),
           relu(),
           conv(256, 3, 1, 1, one_bias),
           relu(),
           max_pool(3, 2),
           {.kind = "average_pool", .size = 6},
           flatten(),
           dropout(),
           dense(4096, one_bias),
           relu(),
           dropout(),
           dense(4096, one_bias),
           relu(),
           dense(kClasses, zero_bias)}};
}

/// The network of TensorFlow's CIFAR-10 tutorial, with its initialisation.
NetworkSpec alexnet_cifar(const NetworkOptions& /*options*/) {
  const LayerSpec lrn{.kind = "lrn", .size = 9, .alpha = 0.001, .beta = 0.75, .k = 1};
  return {{conv(64, 5, 1, 2, truncated(0.05, 0)), relu(), max_pool(3, 2, 1), lrn,
           conv(64, 5, 1, 2, truncated(0.05, 0.1)), relu(), lrn, max_pool(3, 2, 1), flatten(),
           dense(384, truncated(0.04, 0.1)), relu(), dense(192, truncated(0.04, 0.1)), relu(),
           dense(kClasses, truncated(1.0 / 192, 0))}};
}

/// VGG-11 (Simonyan, Zisserman 2015, configuration A) as courses train it on CIFAR-10: batch norm
/// after each convolution, one dense layer.
NetworkSpec vgg11(const NetworkOptions& /*options*/) {
  constexpr int kPool = 0;
  NetworkSpec spec;
  for (const int units :
       {64, kPool, 128, kPool, 256, 256, kPool, 512, 512, kPool, 512, 512, kPool}) {
    if (units == kPool) {
      spec.layers.push_back(max_pool(2, 2));
    } else {
      append(spec, {conv(units, 3, 1, 1, kHe), batch_norm(), relu()});
    }
  }
  append(spec, {flatten(), dense(kClasses, kGlorot)});
  return spec;
}

/// ResNet-20 for CIFAR-10 (He, Zhang, Ren, Sun 2016, section 4.2): three stages of three blocks,
/// shortcuts without parameters (option A), no biases before batch norms.
NetworkSpec resnet20(const NetworkOptions& /*options*/) {
  const auto conv3 = [](int units, int stride) {
    LayerSpec spec = conv(units, 3, stride, 1, kHe);
    spec.bias = false;
    return spec;
  };
  const LayerSpec block_input{.kind = "add", .from = -6};
  NetworkSpec spec{{conv3(16, 1), batch_norm(), relu()}};
  for (const int units : {16, 32, 64}) {
    for (int block = 0; block < 3; ++block) {
      const int stride = units > 16 && block == 0 ? 2 : 1;
      append(spec, {conv3(units, stride), batch_norm(), relu(), conv3(units, 1), batch_norm(),
                    block_input, relu()});
    }
  }
  append(spec, {{.kind = "average_pool", .size = 1}, dense(kClasses, kGlorot)});
  return spec;
}

/// Logistic regression on hashed features. Two classes: one output.
NetworkSpec sparse_logistic(const NetworkOptions& /*options*/) {
  return {{{.kind = "sparse_dense", .units = 1, .init = kZero}}};
}

struct Named {
  std::string_view name;
  NetworkSpec (*make)(const NetworkOptions&);
};

constexpr Named kNamed[] = {
    {"softmax", softmax},
    {"mlp", mlp},
    {"lenet", lenet},
    {"lenet_large", lenet_large},
    {"alexnet", alexnet},
    {"alexnet_cifar", alexnet_cifar},
    {"vgg11", vgg11},
    {"resnet20", resnet20},
    {"sparse_logistic", sparse_logistic},
};

}  // namespace

std::vector<std::string> network_names() {
  std::vector<std::string> names;
  names.reserve(std::size(kNamed));
  for (const Named& each : kNamed) names.emplace_back(each.name);
  return names;
}

NetworkSpec network_spec(std::string_view name, const NetworkOptions& options) {
  const auto* found = std::ranges::find(kNamed, name, &Named::name);
  FT_CHECK(found != std::end(kNamed));
  return found->make(options);
}

std::string_view kernel_set() {
#if defined(__AVX512F__)
  return "avx512";
#elif defined(__AVX2__) && defined(__FMA__)
  return "avx2";
#elif defined(__SSE2__)
  return "sse2";
#elif defined(__ARM_NEON)
  return "neon";
#else
  return "portable";
#endif
}

int register_floats(std::string_view kernels) {
  if (kernels == kernel_set()) return Simd::kCount;
  if (kernels == "avx512") return 16;
  if (kernels == "sse2" || kernels == "neon") return 4;
  return kernels == "portable" ? 1 : 8;
}

}  // namespace foretrain
