// The optimizers by name: a new one is a file beside this one, plus a line here.
#include "models/base/check.h"
#include "models/optimizers/optimizer.h"
#include "models/optimizers/sgd.h"

namespace foretrain {

std::vector<std::string> optimizer_names() { return {"sgd"}; }

std::unique_ptr<const Optimizer> make_optimizer(const OptimizerSpec& spec) {
  if (spec.name == "sgd") return std::make_unique<Sgd>(spec);
  FT_CHECK(!"an optimizer that optimizer_names() lists");
  return nullptr;
}

}  // namespace foretrain
