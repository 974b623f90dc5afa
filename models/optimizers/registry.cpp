// The optimizers by name: a new one is a file in this folder, plus a line here.
#include "models/base/check.h"
#include "models/optimizers/adagrad.h"
#include "models/optimizers/adam.h"
#include "models/optimizers/ftrl.h"
#include "models/optimizers/momentum.h"
#include "models/optimizers/optimizer.h"
#include "models/optimizers/sgd.h"

#include <array>

namespace foretrain {
namespace {

using Make = std::unique_ptr<const Optimizer> (*)(const OptimizerSpec&);

struct Rule {
  std::string_view name;
  Make make;
  double learning_rate;       // default, if a scenario gives none
  bool zero_changes_nothing;  // a gradient of zero, without decay, has no effect
};

template <class T>
std::unique_ptr<const Optimizer> make(const OptimizerSpec& spec) {
  return std::make_unique<const T>(spec);
}

constexpr std::array kRules{
    Rule{"sgd", make<Sgd>, 0.1, true},      Rule{"momentum", make<Momentum>, 0.01, false},
    Rule{"adam", make<Adam>, 0.001, false}, Rule{"adagrad", make<Adagrad>, 0.01, true},
    Rule{"ftrl", make<Ftrl>, 0.1, true},
};

const Rule& rule_of(std::string_view name) {
  for (const Rule& rule : kRules) {
    if (rule.name == name) return rule;
  }
  FT_CHECK(!"an optimizer that optimizer_names() lists");
  return kRules.front();
}

}  // namespace

std::vector<std::string> optimizer_names() {
  std::vector<std::string> names;
  names.reserve(kRules.size());
  for (const Rule& rule : kRules) names.emplace_back(rule.name);
  return names;
}

std::unique_ptr<const Optimizer> make_optimizer(const OptimizerSpec& spec) {
  return rule_of(spec.name).make(spec);
}

double default_learning_rate(std::string_view name) { return rule_of(name).learning_rate; }

bool sparse_equals_dense(const OptimizerSpec& spec) {
  const bool decays = spec.weight_decay != 0 || spec.biases.weight_decay != 0;
  return rule_of(spec.name).zero_changes_nothing && !decays;
}

}  // namespace foretrain
