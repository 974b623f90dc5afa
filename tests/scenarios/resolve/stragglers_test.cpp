// Random slowdowns, pauses of workers.
#include "scenarios/resolve/stragglers.h"

#include "tests/scenarios/messages.h"

#include <algorithm>
#include <cmath>

using namespace foretrain;

namespace {

constexpr std::uint64_t kDelaySeed = 20'261'120;
constexpr int kDelays = 400'000;

Scenario with(const StragglerSpec& spec) {
  Scenario scenario;
  scenario.seed = kDelaySeed;
  scenario.stragglers = {spec};
  return scenario;
}

StragglerSpec drawn(const std::string& distribution, double shift, double sigma, double shape) {
  StragglerSpec spec;
  spec.distribution = distribution;
  spec.shift = shift;
  spec.sigma = sigma;
  spec.shape = shape;
  return spec;
}

struct DelayMoments {
  double mean = 0;
  double deviation = 0;
  double least = 0;
};

DelayMoments moments_of(const Scenario& scenario) {
  StragglerDraws draws(scenario, 0);
  double sum = 0;
  double squares = 0;
  double least = 1e300;
  for (int i = 0; i < kDelays; ++i) {
    const double x = draws.next();
    sum += x;
    squares += x * x;
    least = std::min(least, x);
  }
  const double mean = sum / kDelays;
  return {mean, std::sqrt(squares / kDelays - mean * mean), least};
}

}  // namespace

TEST_CASE("stragglers: every distribution has mean 1 and the deviation of its formula") {
  INFO("seed " << kDelaySeed);
  struct Expected {
    StragglerSpec spec;
    double deviation;
    double least;
  };
  const double sigma = 0.2;
  for (const Expected& e :
       {Expected{drawn("exponential", 0, 0, 0), 1, 0},
        Expected{drawn("shifted_exponential", 0.5, 0, 0), 0.5, 0.5},
        Expected{drawn("lognormal", 0, sigma, 0), std::sqrt(std::exp(sigma * sigma) - 1), 0},
        // A Pareto of mean 1: deviation 1 / sqrt(a (a - 2)), least (a - 1) / a.
        Expected{drawn("pareto", 0, 0, 5), 1 / std::sqrt(15.0), 0.8}}) {
    INFO(e.spec.distribution);
    const DelayMoments m = moments_of(with(e.spec));
    CHECK(std::abs(m.mean - 1) < 5 * e.deviation / std::sqrt(kDelays));
    CHECK(m.deviation == Approx(e.deviation).epsilon(0.05));
    CHECK(m.least > 0);
    CHECK(m.least >= e.least);
  }
}

TEST_CASE("stragglers: the same draws every time, others for another worker or seed") {
  Scenario scenario = with(drawn("exponential", 0, 0, 0));
  const auto first = [&](int worker) {
    StragglerDraws draws(scenario, worker);
    std::vector<double> values(100);
    std::ranges::generate(values, [&] { return draws.next(); });
    return values;
  };
  const auto zero = first(0);
  CHECK(first(0) == zero);
  CHECK(first(1) != zero);
  ++scenario.seed;
  CHECK(first(0) != zero);
}

TEST_CASE("stragglers: without one every factor is 1") {
  StragglerDraws draws(Scenario{}, 0);
  CHECK(draws.next() == 1);
}

TEST_CASE("stragglers: those that concern a worker multiply") {
  Scenario scenario;
  StragglerSpec all;
  all.slowdown = 2;
  StragglerSpec second;
  second.workers = {1};
  second.slowdown = 3;
  scenario.stragglers = {all, second};
  CHECK(StragglerDraws(scenario, 0).next() == 2);
  CHECK(StragglerDraws(scenario, 1).next() == 6);
}

TEST_CASE("stragglers: a slowdown scales the draws of a distribution") {
  StragglerSpec spec = drawn("pareto", 0, 0, 2.5);
  StragglerDraws plain(with(spec), 0);
  spec.slowdown = 4;
  StragglerDraws slow(with(spec), 0);
  for (int i = 0; i < 100; ++i) CHECK(slow.next() == 4 * plain.next());
}

TEST_CASE("stragglers: pauses come at exponential intervals after the one before") {
  INFO("seed " << kDelaySeed);
  StragglerSpec spec;
  spec.pause = {5'000'000};
  spec.every = {20'000'000};
  PauseDraws draws(with(spec), 0);
  Instant free;
  double sum = 0;
  double squares = 0;
  constexpr int kPauses = 100'000;
  for (int i = 0; i < kPauses; ++i) {
    const std::optional<Pause> pause = draws.next();
    REQUIRE(pause);
    REQUIRE(pause->length == spec.pause);
    const double interval = (pause->begin - free).seconds() / spec.every.seconds();
    REQUIRE(interval >= 0);
    sum += interval;
    squares += interval * interval;
    free = pause->end();
  }
  const double mean = sum / kPauses;
  CHECK(std::abs(mean - 1) < 5 / std::sqrt(kPauses));
  CHECK(squares / kPauses - mean * mean == Approx(1).epsilon(0.05));
}

TEST_CASE("stragglers: pauses are the same every time, others for another worker or seed") {
  StragglerSpec spec;
  spec.pause = {5'000'000};
  spec.every = {20'000'000};
  Scenario scenario = with(spec);
  scenario.training.strategy = "sync";
  scenario.training.workers = 2;
  const auto first = [&](int worker) { return PauseDraws(scenario, worker).next().value().begin; };
  const Instant zero = first(0);
  CHECK(first(0) == zero);
  CHECK(first(1) != zero);
  // They do not depend on the slowdowns of gradients, either.
  scenario.stragglers.insert(scenario.stragglers.begin(), drawn("exponential", 0, 0, 0));
  CHECK(first(0) == zero);
  ++scenario.seed;
  CHECK(first(0) != zero);
}

TEST_CASE("stragglers: several pauses of a worker come in order") {
  StragglerSpec rare;
  rare.pause = {50'000'000};
  rare.every = {1'000'000'000};
  StragglerSpec often;
  often.workers = {0};
  often.pause = {1'000'000};
  often.every = {10'000'000};
  Scenario scenario = with(rare);
  scenario.stragglers.push_back(often);
  scenario.training.workers = 2;
  PauseDraws draws(scenario, 0);
  Instant last;
  int long_ones = 0;
  for (int i = 0; i < 1'000; ++i) {
    const Pause pause = *draws.next();
    REQUIRE(pause.begin >= last);
    last = pause.begin;
    if (pause.length == rare.pause) ++long_ones;
  }
  CHECK(long_ones > 0);
  CHECK(long_ones < 500);
  CHECK(PauseDraws(scenario, 1).next()->length == rare.pause);
  CHECK(longest_pause(scenario) == rare.pause);
}

TEST_CASE("stragglers: without a pause nothing stops") {
  const Scenario scenario = with(drawn("exponential", 0, 0, 0));
  CHECK_FALSE(PauseDraws(scenario, 0).next());
  CHECK(longest_pause(scenario) == Duration{});
}

TEST_CASE("stragglers: a pause is read with its interval") {
  const std::string text = "foretrain: 1\nstragglers: [{pause: 500 ms, every: 10 s}]\n";
  const Scenario scenario = only(text);
  CHECK(scenario.stragglers.at(0).pause == Duration{500'000'000});
  CHECK(scenario.stragglers.at(0).every == Duration{10'000'000'000});
  CHECK(only(to_yaml(scenario)) == scenario);
  CHECK(scenario_error("foretrain: 1\nstragglers: [{pause: 500 ms}]\n").find("every") !=
        std::string::npos);
  CHECK(scenario_error("foretrain: 1\nstragglers: [{every: 5 s}]\n").find("only pause") !=
        std::string::npos);
}

TEST_CASE("stragglers: pauses that begin within another one make it longer") {
  Scenario scenario;
  scenario.seed = kDelaySeed;
  scenario.stragglers.resize(2);
  scenario.stragglers[0].pause = {50};
  scenario.stragglers[0].every = {60};
  scenario.stragglers[1].pause = {90};
  scenario.stragglers[1].every = {200};
  StandingStill worker(scenario, 0);
  PauseDraws draws(scenario, 0);
  for (int i = 0; i < 1'000; ++i) {
    std::optional<Pause> pause = draws.next();
    // Overlapping pauses are merged.
    Instant begin = pause->begin;
    Instant end = pause->end();
    PauseDraws ahead = draws;
    while ((pause = ahead.next()) && pause->begin <= end) {
      end = std::max(end, pause->end());
      draws = ahead;
    }
    REQUIRE(worker.next_look() == begin);
    REQUIRE(!worker.now());
    REQUIRE(worker.look(begin));
    while (worker.now()) {
      const Instant next = worker.next_look().value();
      REQUIRE(next <= end);
      REQUIRE(worker.look(next) == (next < end));
    }
  }
}

TEST_CASE("stragglers: who looks late finds a pause that is over to be none") {
  Scenario scenario = with({});
  scenario.stragglers[0].pause = {50};
  scenario.stragglers[0].every = {1'000'000};
  const Pause first = PauseDraws(scenario, 0).next().value();
  StandingStill worker(scenario, 0);
  CHECK(!worker.look(first.end()));
  StandingStill other(scenario, 0);
  CHECK(other.look(first.begin + Duration{49}));
  CHECK(other.next_look() == first.end());
  other.end();
  CHECK(!other.now());
  CHECK(!other.next_look());
}

TEST_CASE("stragglers: where a training goes on, pauses that have begun do not come again") {
  Scenario scenario = with({});
  scenario.stragglers[0].pause = {50};
  scenario.stragglers[0].every = {60};
  PauseDraws draws(scenario, 0);
  draws.next();
  const Pause second = draws.next().value();
  const Pause third = draws.next().value();
  StandingStill worker(scenario, 0);
  worker.begin_at(second.begin + Duration{1});
  CHECK(!worker.now());
  CHECK(worker.next_look() == third.begin);
  StandingStill other(scenario, 0);
  other.begin_at(second.begin);
  CHECK(other.next_look() == second.begin);
}

TEST_CASE("stragglers: pauses that take no time are none") {
  Scenario scenario = with({});
  scenario.stragglers[0].pause = {50};
  scenario.stragglers[0].every = {60};
  CHECK(!StandingStill(scenario, 0, 0).next_look());
  StandingStill half(scenario, 0, 0.5);
  const Instant begin = half.next_look().value();
  CHECK(half.look(begin));
  CHECK(half.next_look() == begin + Duration{25});
}
