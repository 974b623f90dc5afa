#include "models/layers/initializer.h"

#include "models/base/check.h"

#include <algorithm>
#include <cmath>

namespace foretrain {

std::vector<std::string> initializer_names() { return {"he", "glorot", "normal", "zero"}; }

void draw_weights(const Initializer& initializer, Fans fans, Stream& stream,
                  std::span<float> weights) {
  const auto fan_in = static_cast<double>(fans.in);
  const auto fan_out = static_cast<double>(fans.out);
  const auto fill = [&](auto draw) {
    std::ranges::generate(weights, [&] { return static_cast<float>(draw()); });
  };
  if (initializer.kind == "zero") {
    fill([] { return 0.0; });
  } else if (initializer.kind == "he") {
    fill([&, deviation = std::sqrt(2 / fan_in)] { return deviation * stream.normal(); });
  } else if (initializer.kind == "glorot") {
    const double most = std::sqrt(6 / (fan_in + fan_out));
    fill([&] { return most * (2 * stream.uniform() - 1); });
  } else {
    FT_CHECK(initializer.kind == "normal");
    fill([&] {
      double z = stream.normal();
      while (initializer.truncated && std::abs(z) > 2) z = stream.normal();
      return initializer.deviation * z;
    });
  }
}

}  // namespace foretrain
