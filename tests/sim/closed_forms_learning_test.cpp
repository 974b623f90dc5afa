// The effect of staleness on learning, with real gradients in virtual time.
#include "tests/support/cases.h"
#include "tests/support/temp_folder.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numbers>
#include <span>
#include <vector>

namespace foretrain::testing {
namespace {
using namespace literals;

// One weight, one bias, logistic loss; an example is x = 1 of either class, a batch has one of
// each. So the logit z = w + b determines everything:
//
//     loss(z) = log(1 + exp(-z)) / 2 + log(1 + exp(z)) / 2
//     dz of an update at rate eta = -eta (x^2 + 1) (sigmoid(z') - 1/2)     z': value that was read
//
// which near z = 0 is gradient descent on lambda z^2 / 2 with lambda = (x^2 + 1) / 4 = 1 / 2.
constexpr double kLambda = 0.5;

double loss_at(double z) { return (std::log1p(std::exp(-z)) + std::log1p(std::exp(z))) / 2; }

// The factor of eta: dz / -eta.
double slope_at(double z) { return 2 * (1 / (1 + std::exp(-z)) - 0.5); }

// The logit of an evaluation, whose only example has class +1.
double logit_of(const EvalReport& evaluation) { return -std::log(std::expm1(evaluation.loss)); }

// A shard per worker with one example of each class, so that every batch of two has both.
class TwoClasses {
 public:
  explicit TwoClasses(int workers) : workers_(workers) {
    std::ofstream train(folder_ / "two.train");
    for (const char* label : {"+1", "-1"}) {
      for (int worker = 0; worker < workers; ++worker) train << label << " 1:1\n";
    }
    std::ofstream(folder_ / "two.test") << "+1 1:1\n";
  }

  // A gradient takes a second. The logit begins at `start`.
  [[nodiscard]] Case async(std::int64_t steps, double rate, double start) const {
    Case scenario_case = star_case("async", workers_, steps, 1_s);
    Scenario& scenario = scenario_case.scenario;
    scenario.numerics = true;
    scenario.dataset = DatasetSpec{};
    scenario.dataset.format = "libsvm";
    scenario.dataset.path = folder_.path();
    scenario.model.hash_bits = 1;
    scenario.model.layers = {
        {.kind = "sparse_dense", .units = 1, .init = {.kind = "zero", .bias = start}}};
    scenario.training.batch_size = 2;
    scenario.training.optimizer.learning_rate = rate;
    return scenario_case;
  }

 private:
  TempFolder folder_;
  int workers_;
};

// The logit after each update, beginning with update 0, if each update used the values that its
// step reported as read: z_{t + 1} = z_t - eta slope(z_{t - staleness}).
std::vector<double> path_of(const Record& record, double rate, double start) {
  std::vector<double> path{start};
  path.reserve(record.steps.size() + 1);
  for (std::size_t t = 0; t < record.steps.size(); ++t) {  // in order of application
    const auto read = t - static_cast<std::size_t>(record.steps[t].report.staleness);
    path.push_back(path[t] - rate * slope_at(path.at(read)));
  }
  return path;
}

// --- The limit of a constant staleness ---

double largest(std::span<const double> logits) {
  double most = 0;
  for (const double z : logits) most = std::max(most, std::abs(z));
  return most;
}

// The logit at the chief's evaluation before each of its steps.
std::vector<double> logits_of(const Record& record) {
  std::vector<double> logits;
  logits.reserve(record.evals.size());
  for (const EvalReport& evaluation : record.evals) logits.push_back(logit_of(evaluation));
  return logits;
}

TEST_CASE("closed form D: N equal workers learn below 2 sin(pi / (2 (2 N - 1))) but not above") {
  const auto [workers, bound] =
      GENERATE(table<int, double>({{1, 2.0}, {2, 1.0}, {4, 0.4450}, {8, 0.2091}, {16, 0.1013}}));
  CAPTURE(workers);
  const double exact = 2 * std::sin(std::numbers::pi / (2 * (2 * workers - 1)));
  REQUIRE(exact == Approx(bound).epsilon(1e-3));
  const TwoClasses data(workers);
  const auto growth = [&](double share_of_bound) {
    Case scenario_case = data.async(200, share_of_bound * exact / kLambda, 1e-3);
    scenario_case.scenario.training.evaluate_every = 1;
    const std::vector<double> logits = logits_of(simulate(scenario_case));
    REQUIRE(logits.size() >= 200);
    const std::span<const double> all(logits);
    const std::size_t third = all.size() / 3;
    return largest(all.last(third)) / largest(all.first(third));
  };
  // A change of the rate by 3 % is a factor of at least 1.02 per round of gradients.
  CHECK(growth(0.97) < 0.5);
  CHECK(growth(1.03) > 2);
}

TEST_CASE("closed form D: of N equal workers each update is of the logit N - 1 updates before") {
  const int workers = GENERATE(1, 2, 5, 16);
  CAPTURE(workers);
  constexpr double kRate = 0.3;
  const TwoClasses data(workers);
  Case scenario_case = data.async(20, kRate, 0.7);
  scenario_case.scenario.training.evaluate_every = 1;
  const Record record = simulate(scenario_case);
  // The first gradients all use the start, as if it had not changed before.
  std::vector<double> logits(static_cast<std::size_t>(workers), 0.7);
  for (int t = 0; t < 20 * workers; ++t) {
    logits.push_back(logits.back() - kRate * slope_at(logits[static_cast<std::size_t>(t)]));
  }
  REQUIRE(record.evals.size() >= 20);
  for (const EvalReport& evaluation : record.evals) {
    const auto version = static_cast<std::size_t>(evaluation.version.value);
    CAPTURE(version);
    CHECK(logit_of(evaluation) ==
          Approx(logits.at(version + static_cast<std::size_t>(workers) - 1)).margin(2e-6));
  }
}

// --- The momentum of asynchrony (Mitliagkas et al., arXiv 1605.09774) ---

// Let d_t = z_{t + 1} - z_t and g = slope. With exponential step times, every update comes from a
// random worker, independent of its read: one of the N reads not yet applied is chosen, and the
// newest takes its place. So
//
//     E[d_{t + 1}] = (1 - 1/N) E[d_t] - (eta / N) E[g(z_{t + 1})]
//
// for any gradient, linear or not, from the first update on.
constexpr int kMomentumWorkers = 4;
constexpr std::size_t kUpdates = 24;
constexpr double kMomentumRate = 0.4;
constexpr double kStart = 1;

// The logits of a training with exponential step times, checked against the real weights.
std::vector<double> jittery_path(const Case& scenario_case) {
  const Record record = simulate(scenario_case);
  REQUIRE(record.steps.size() == kUpdates);
  std::vector<double> z = path_of(record, kMomentumRate, kStart);
  double most = std::abs(logit_of(record.evals.back()) - z.back());
  for (std::size_t t = 0; t < kUpdates; ++t) {
    const StepReport& step = record.steps[t].report;
    const double read = z[t - static_cast<std::size_t>(step.staleness)];
    most = std::max(most, std::abs(step.loss - loss_at(read)));
  }
  REQUIRE(most < 5e-6);
  return z;
}

TEST_CASE("closed form D: async on exponential steps has a momentum of 1 - 1 / N") {
  constexpr int kSeeds = 1'000;
  constexpr double kN = kMomentumWorkers;
  const TwoClasses data(kMomentumWorkers);
  Case scenario_case = data.async(kUpdates / kMomentumWorkers, kMomentumRate, kStart);
  StragglerSpec exponential;
  exponential.distribution = "exponential";
  scenario_case.scenario.stragglers = {exponential};
  std::vector<std::vector<double>> paths;
  paths.reserve(kSeeds);
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    CAPTURE(seed);
    scenario_case.scenario.seed = seed;
    paths.push_back(jittery_path(scenario_case));
  }
  // Means of d, and d without the gradient's part, which in theory is mu d of the previous update.
  std::vector<double> d(kUpdates);
  std::vector<double> carried(kUpdates);
  const auto carried_at = [&](const std::vector<double>& z, std::size_t t) {
    return z[t + 1] - z[t] + kMomentumRate / kN * slope_at(z[t]);
  };
  for (const std::vector<double>& z : paths) {
    for (std::size_t t = 0; t < kUpdates; ++t) {
      d[t] += (z[t + 1] - z[t]) / kSeeds;
      carried[t] += carried_at(z, t) / kSeeds;
    }
  }
  // Least squares of carried[t] = mu d[t - 1], over all updates; the standard error over seeds is
  // 0.0006.
  double squares = 0;
  double product = 0;
  for (std::size_t t = 1; t < kUpdates; ++t) {
    squares += d[t - 1] * d[t - 1];
    product += carried[t] * d[t - 1];
  }
  const double momentum = product / squares;
  double error = 0;
  for (const std::vector<double>& z : paths) {
    double excess = 0;
    for (std::size_t t = 1; t < kUpdates; ++t) {
      excess += (carried_at(z, t) - momentum * (z[t] - z[t - 1])) * d[t - 1] / squares;
    }
    error += excess * excess / kSeeds / kSeeds;
  }
  INFO("standard error " << std::sqrt(error));
  CHECK(std::sqrt(error) < 0.002);
  CHECK(momentum == Approx(1 - 1 / kN).epsilon(0.01));
  // The momentum carries the mean beyond the minimum, so it turns; gradient descent would not.
  CHECK(*std::ranges::max_element(d) > 0.03 * -d.front());
}

}  // namespace
}  // namespace foretrain::testing
