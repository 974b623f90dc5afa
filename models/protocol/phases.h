// The six phases of a worker's step, one array.
#pragma once

#include "models/base/time.h"

#include <array>
#include <string_view>

namespace foretrain {

/// One value for each phase, in the order of the phases in a step.
template <class T>
struct PhasesOf {
  T compute{};
  T push{};
  T wait{};  ///< for other workers, or for the server's queue
  T apply{};
  T pull{};
  T evaluate{};

  bool operator==(const PhasesOf&) const = default;
};

/// The exposed time of a worker's step; the six phases add up to it. Push and pull share the time
/// on the wire in proportion to the bytes of each.
using Phases = PhasesOf<Duration>;
/// The same in seconds, for means and sums.
using PhaseSeconds = PhasesOf<double>;

/// A phase: its name in every file and table, and its member in PhasesOf.
template <class T>
struct Phase {
  std::string_view name;
  T PhasesOf<T>::*of;
};

template <class T>
inline constexpr std::array<Phase<T>, 6> kPhases{{{"compute", &PhasesOf<T>::compute},
                                                  {"push", &PhasesOf<T>::push},
                                                  {"wait", &PhasesOf<T>::wait},
                                                  {"apply", &PhasesOf<T>::apply},
                                                  {"pull", &PhasesOf<T>::pull},
                                                  {"evaluate", &PhasesOf<T>::evaluate}}};
static_assert(sizeof(Phases) == kPhases<Duration>.size() * sizeof(Duration));

template <class T>
PhasesOf<T>& operator+=(PhasesOf<T>& sum, const PhasesOf<T>& phases) {
  for (const auto& [name, of] : kPhases<T>) sum.*of += phases.*of;
  return sum;
}

/// The sum of the phases.
template <class T>
T length_of(const PhasesOf<T>& phases) {
  T sum{};
  for (const auto& [name, of] : kPhases<T>) sum += phases.*of;
  return sum;
}

/// The nearest double to each phase, which prints with as few digits as the phase has.
inline PhaseSeconds seconds_of(const Phases& phases) {
  PhaseSeconds seconds;
  for (std::size_t i = 0; i < kPhases<double>.size(); ++i) {
    const Duration phase = phases.*kPhases<Duration>[i].of;
    seconds.*kPhases<double>[i].of = static_cast<double>(phase.ns) / 1e9;
  }
  return seconds;
}

}  // namespace foretrain
