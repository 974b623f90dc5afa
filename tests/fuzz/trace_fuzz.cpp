// Fuzzes the readers of other programs' traces.
#include "models/base/check.h"
#include "scenarios/import/import_job.h"
#include "tests/fuzz/fuzz.h"

#include <cmath>
#include <string>

using namespace foretrain;
using namespace foretrain::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string path = scratch_file("trace", std::string(text_of(data, size)));
  expect_refusal_at_most(path, [&] {
    const ImportedJob job = import_job(path, 0);
    FT_CHECK(!job.layers.empty());
    double forward_s = 0;
    for (const ImportedLayer& layer : job.layers) {
      FT_CHECK_OP(layer.parameters.value, >=, 0);
      forward_s += layer.forward_s;
    }
    FT_CHECK(std::isfinite(forward_s) && std::isfinite(job.step_s));
    FT_CHECK(std::abs(forward_s - job.forward_s) <= 1e-6 * (1 + job.forward_s));
  });
  return 0;
}
