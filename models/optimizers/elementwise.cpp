#include "models/optimizers/elementwise.h"

#include "models/base/check.h"

#if defined(__AVX__)
#include <immintrin.h>
#endif

#include <cmath>

namespace foretrain {

UpdateRates rates_of(const OptimizerSpec& spec, const UpdateContext& context, bool bias) {
  const double rate = spec.learning_rate * rate_factor(spec.schedule, context.examples);
  if (!bias) return {static_cast<float>(rate), static_cast<float>(spec.weight_decay)};
  return {static_cast<float>(rate * spec.biases.rate_factor),
          static_cast<float>(spec.biases.weight_decay)};
}

void check_update(std::span<const float> before, std::span<const float> gradient,
                  std::span<const float> after, std::span<float* const> state, int slots) {
  FT_CHECK_OP(before.size(), ==, gradient.size());
  FT_CHECK_OP(before.size(), ==, after.size());
  FT_CHECK_OP(state.size(), ==, static_cast<std::size_t>(slots));
}

double decay_flops(const OptimizerSpec& spec) {
  return spec.weight_decay != 0 || spec.biases.weight_decay != 0 ? 2 : 0;
}

void square_roots(const float* x, std::size_t count, float* roots) {
  std::size_t i = 0;
#if defined(__AVX512F__)
  for (; i + 16 <= count; i += 16) {
    _mm512_storeu_ps(roots + i, _mm512_sqrt_ps(_mm512_loadu_ps(x + i)));
  }
#elif defined(__AVX__)
  for (; i + 8 <= count; i += 8) {
    _mm256_storeu_ps(roots + i, _mm256_sqrt_ps(_mm256_loadu_ps(x + i)));
  }
#endif
  for (; i < count; ++i) roots[i] = std::sqrt(x[i]);
}

}  // namespace foretrain
