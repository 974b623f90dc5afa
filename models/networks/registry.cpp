// The networks by name: a new one is a file beside this one, plus a line here.
#include "models/base/check.h"
#include "models/networks/network.h"
#include "models/networks/softmax_regression.h"

namespace foretrain {

std::vector<std::string> network_names() { return {"softmax"}; }

std::shared_ptr<const Network> make_network(std::string_view name, InputShape shape) {
  if (name == "softmax") return std::make_shared<SoftmaxRegression>(shape);
  FT_CHECK(!"a network that network_names() lists");
  return nullptr;
}

std::string_view kernel_set() {
#if defined(__AVX512F__)
  return "avx512";
#elif defined(__AVX2__)
  return "avx2";
#else
  return "sse2";
#endif
}

}  // namespace foretrain
