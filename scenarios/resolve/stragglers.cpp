// Draws factors with mean 1, pauses with their intervals.
#include "scenarios/resolve/stragglers.h"

#include "models/base/check.h"
#include "scenarios/resolve/faults.h"
#include "scenarios/resolve/placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace foretrain {
namespace {

bool concerns(const StragglerSpec& spec, int worker) {
  return spec.workers.empty() || std::ranges::find(spec.workers, worker) != spec.workers.end();
}

}  // namespace

Duration draw_interval(Duration every, Stream& stream) {
  return Duration::from_seconds(every.seconds() * stream.exponential());
}

StragglerDraws::StragglerDraws(const Scenario& scenario, int worker, const Traces& traces)
    : stream_(scenario.seed, fmt::format("straggler.worker{}", worker)) {
  for (std::size_t s = 0; s < scenario.stragglers.size(); ++s) {
    const StragglerSpec& spec = scenario.stragglers[s];
    if (!concerns(spec, worker)) continue;
    if (spec.slowdown != 1) sources_.push_back({.slowdown = spec.slowdown});
    if (!spec.distribution.empty()) add_distribution(spec);
    if (!spec.trace.empty()) add_trace(spec, traces.of(s), worker, node_counts(scenario).workers);
  }
}

StragglerDraws::StragglerDraws(const Scenario& scenario, int worker)
    : StragglerDraws(scenario, worker, Traces(Case{{}, scenario, {}})) {}

void StragglerDraws::add_distribution(const StragglerSpec& spec) {
  if (spec.distribution == "exponential") {
    sources_.push_back({.kind = Kind::exponential});
  } else if (spec.distribution == "shifted_exponential") {
    sources_.push_back({.kind = Kind::shifted, .parameter = spec.shift});
  } else if (spec.distribution == "lognormal") {
    sources_.push_back({.kind = Kind::lognormal, .parameter = spec.sigma});
  } else {
    FT_CHECK(spec.distribution == "pareto");
    sources_.push_back({.kind = Kind::pareto, .parameter = spec.shape});
  }
}

void StragglerDraws::add_trace(const StragglerSpec& spec, std::shared_ptr<const Trace> trace,
                               int worker, int workers) {
  FT_CHECK(trace != nullptr);
  auto place = static_cast<std::size_t>(worker);
  auto listed = static_cast<std::size_t>(std::max(workers, worker + 1));
  if (!spec.workers.empty()) {
    place =
        static_cast<std::size_t>(std::ranges::find(spec.workers, worker) - spec.workers.begin());
    listed = spec.workers.size();
  }
  const std::size_t rows = trace->factors.size();
  const std::size_t row = place % rows;
  const std::size_t sharing = (listed - row + rows - 1) / rows;
  Source source{.kind = Kind::trace};
  source.factors = trace->factors[row];
  source.trace = std::move(trace);
  source.next = source.factors.size() * (place / rows) / sharing;
  sources_.push_back(std::move(source));
}

// A draw with mean 1. For a normal Z, E[exp(sigma Z)] = exp(sigma^2 / 2); the mean of a Pareto
// distribution with scale 1 is shape / (shape - 1).
double StragglerDraws::draw(Source& source, Stream& stream) {
  constexpr double kLeast = 0x1p-53;  // an exponential draw may be 0, a factor may not
  const double parameter = source.parameter;
  switch (source.kind) {
    case Kind::constant:
      return source.slowdown;
    case Kind::exponential:
      return std::max(stream.exponential(), kLeast);
    case Kind::shifted:
      return std::max(parameter + (1 - parameter) * stream.exponential(), kLeast);
    case Kind::lognormal:
      return std::max(portable_exp(parameter * stream.normal() - parameter * parameter / 2),
                      kLeast);
    case Kind::pareto:
      return std::max((parameter - 1) / parameter * stream.pareto(parameter), kLeast);
    case Kind::trace: {
      const double factor = source.factors[source.next];
      if (++source.next == source.factors.size()) source.next = 0;
      return factor;
    }
  }
  FT_CHECK(false);
  return 1;
}

double StragglerDraws::next() {
  double factor = 1;
  for (Source& source : sources_) factor *= draw(source, stream_);
  return factor;
}

PauseDraws::PauseDraws(const Scenario& scenario, int node) {
  const bool serves = node >= node_counts(scenario).workers;
  for (const StragglerSpec& spec : scenario.stragglers) {
    if (spec.pause.ns == 0 || !concerns(spec, node)) continue;
    if (serves && spec.workers.empty()) continue;
    Stream stream(scenario.seed, fmt::format("pause.worker{}.{}", node, sources_.size()));
    const Instant first = Instant{} + draw_interval(spec.every, stream);
    sources_.push_back({spec.pause, first, spec.every, stream});
  }
  for (const FaultSpec& fault : scenario.faults) {
    if (fault.stop.empty() || node_called(scenario, fault.stop) != node) continue;
    sources_.push_back({fault.lasting, Instant{} + fault.at, {}, {}});
  }
}

std::optional<Pause> PauseDraws::next() {
  const auto first = std::ranges::min_element(sources_, {}, &Source::begin);
  if (first == sources_.end()) return std::nullopt;
  const Pause pause{first->begin, first->pause};
  if (first->stream) {
    first->begin = pause.end() + draw_interval(first->every, *first->stream);
  } else {
    sources_.erase(first);
  }
  return pause;
}

StandingStill::StandingStill(const Scenario& scenario, int node, double stretch)
    : draws_(scenario, node), stretch_(stretch), next_(draw()) {}

std::optional<Pause> StandingStill::draw() {
  if (stretch_ == 0) return std::nullopt;
  std::optional<Pause> pause = draws_.next();
  if (pause && stretch_ != 1) {
    pause->length = {std::llround(static_cast<double>(pause->length.ns) * stretch_)};
  }
  return pause;
}

void StandingStill::begin_at(Instant now) {
  while (next_ && next_->begin < now) next_ = draw();
}

bool StandingStill::look(Instant now) {
  while (next_ && next_->begin <= now && (!until_ || next_->begin <= *until_)) {
    until_ = std::max(until_.value_or(Instant{}), next_->end());
    next_ = draw();
  }
  if (until_ && *until_ <= now) until_.reset();
  return until_.has_value();
}

std::optional<Instant> StandingStill::next_look() const {
  if (until_) return until_;
  return next_ ? std::optional(next_->begin) : std::nullopt;
}

void StandingStill::end() {
  next_.reset();
  until_.reset();
}

Duration longest_pause(const Scenario& scenario) {
  Duration longest;
  for (const StragglerSpec& spec : scenario.stragglers) longest = std::max(longest, spec.pause);
  return longest;
}

}  // namespace foretrain
