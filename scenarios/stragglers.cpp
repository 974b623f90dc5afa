// Draws of mean 1 for every distribution, of pauses too.
#include "scenarios/stragglers.h"

#include "models/base/check.h"

#include <fmt/format.h>

#include <algorithm>

namespace foretrain {
namespace {

/// A draw of mean 1. For a normal Z, E[exp(sigma Z)] = exp(sigma^2 / 2); the mean of a Pareto
/// of scale 1 is shape / (shape - 1).
double draw(const StragglerSpec& spec, Stream& stream) {
  if (spec.distribution == "exponential") return stream.exponential();
  if (spec.distribution == "shifted_exponential") {
    return spec.shift + (1 - spec.shift) * stream.exponential();
  }
  if (spec.distribution == "lognormal") {
    return portable_exp(spec.sigma * stream.normal() - spec.sigma * spec.sigma / 2);
  }
  FT_CHECK(spec.distribution == "pareto");
  return (spec.shape - 1) / spec.shape * stream.pareto(spec.shape);
}

bool concerns(const StragglerSpec& spec, int worker) {
  return spec.workers.empty() || std::ranges::find(spec.workers, worker) != spec.workers.end();
}

Duration draw_interval(Duration every, Stream& stream) {
  return Duration::from_seconds(every.seconds() * stream.exponential());
}

}  // namespace

StragglerDraws::StragglerDraws(const Scenario& scenario, int worker)
    : stream_(scenario.seed, fmt::format("straggler.worker{}", worker)) {
  for (const StragglerSpec& spec : scenario.stragglers) {
    if (concerns(spec, worker)) specs_.push_back(spec);
  }
}

double StragglerDraws::next() {
  constexpr double kLeast = 0x1p-53;  // an exponential draw may be 0, a factor may not
  double factor = 1;
  for (const StragglerSpec& spec : specs_) {
    factor *= spec.slowdown;
    if (!spec.distribution.empty()) factor *= std::max(draw(spec, stream_), kLeast);
  }
  return factor;
}

PauseDraws::PauseDraws(const Scenario& scenario, int worker) {
  for (const StragglerSpec& spec : scenario.stragglers) {
    if (spec.pause.ns == 0 || !concerns(spec, worker)) continue;
    Stream stream(scenario.seed, fmt::format("pause.worker{}.{}", worker, sources_.size()));
    const Instant first = Instant{} + draw_interval(spec.every, stream);
    sources_.push_back({spec.pause, spec.every, stream, first});
  }
}

std::optional<Pause> PauseDraws::next() {
  const auto first = std::ranges::min_element(sources_, {}, &Source::begin);
  if (first == sources_.end()) return std::nullopt;
  const Pause pause{first->begin, first->pause};
  first->begin = pause.end() + draw_interval(first->every, first->stream);
  return pause;
}

Duration longest_pause(const Scenario& scenario) {
  Duration longest;
  for (const StragglerSpec& spec : scenario.stragglers) longest = std::max(longest, spec.pause);
  return longest;
}

}  // namespace foretrain
