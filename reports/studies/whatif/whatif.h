// What limits a training, what each change would buy: as data, for texts or figures.
#pragma once

#include "reports/record/forecast_range.h"
#include "reports/record/summary.h"
#include "reports/studies/result/result.h"
#include "scenarios/spec/scenario.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace foretrain {

/// A resource's part of the critical path.
struct PathShare {
  std::string resource;  ///< `server NIC in`
  double time_s = 0;
  double share = 0;     ///< of the path, 0 to 1
  std::string whose{};  ///< of straggling: the node with most of it, worker2
};

/// What has the largest part of the path; both directions of the servers' NICs are one.
struct Limit {
  std::string resource;  ///< `server NIC`
  double share = 0;
  std::string whose{};   ///< as PathShare::whose
  std::string change{};  ///< the name of the change that makes it faster; empty: there is none
};

/// One change, simulated by itself. Times are those of `WhatIf::measure`.
struct Change {
  enum class Kind { resource, cluster, training };

  std::string name;  ///< `server NIC in 2x`, `one more worker`
  std::string what;  ///< what it does, a sentence
  Kind kind = Kind::resource;
  std::optional<double> time_s;       ///< with it; empty: not reached, or not possible
  std::optional<double> free_time_s;  ///< of a resource: as if it took no time at all
  /// Of a resource: per cent by which the time falls when it is 1 % faster. Empty with a target:
  /// what a time between evaluations does for 1 % is noise.
  std::optional<double> elasticity;
  std::optional<double> cost;  ///< of all hosts for that time, where they have prices
  std::string why_not;         ///< empty: it was simulated
  /// Why as many examples teach it something else than synchronous SGD; empty: they do not.
  std::string statistical_efficiency;
  std::string uneven_share{};  ///< with it: of its record (caveats.h)
  /// With it, in updates; empty: it was not simulated, or its workers go in step.
  std::optional<double> staleness_mean{};
  /// More of a resource takes longer, or less of it less long: work that comes earlier takes a core
  /// or a port from work that others wait for (Graham 1966). The time is no measure of the
  /// resource.
  bool reordered = false;
};

/// Where one choice begins to beat another, found by search.
struct Crossover {
  std::string question;
  std::string answer;           ///< a sentence
  std::optional<double> value;  ///< the figure in it
  bool asked = false;           ///< by --crossover; else it is found unasked
};

/// A change that was run for real.
struct Verified {
  std::string change;
  int repetitions = 1;  ///< of both; the figures are medians
  double before_s = 0;  ///< measured
  double after_s = 0;   ///< measured
  double forecast_before_s = 0;
  double forecast_after_s = 0;

  /// What was forecast of the time with the change, over what was measured, less 1.
  [[nodiscard]] double error() const { return forecast_after_s / after_s - 1; }
  /// The same of the ratio of both times: what the change does.
  [[nodiscard]] double ratio_error() const {
    return forecast_after_s / forecast_before_s / (after_s / before_s) - 1;
  }
};

/// What a phase of a step took in a record, in its simulation, s a step in the mean.
struct PhasePair {
  std::string phase;
  double recorded_s = 0;
  double simulated_s = 0;
  std::optional<double> path_s;  ///< recorded, of the worker that the others waited for
};

struct WhatIf {
  Case scenario_case;
  std::string machine;
  std::string uncalibrated;  ///< as Record::uncalibrated
  std::string source{};      ///< in short: source_of the training as it is
  std::string stands_on{};   ///< whose compute, which jitter, how wrong such forecasts were
  std::string recorded;      ///< of which record's scenario this is, its mode; empty: of none
  std::string measure;       ///< what the times are for: `57,600 examples`, `accuracy 0.97`
  double examples = 0;
  std::optional<double> time_s;  ///< without any change
  ForecastRange range{};         ///< of that; times with changes share most of its error
  std::string no_time{};         ///< why not, what to do: a target that is not reached; else empty
  std::optional<double> cost;
  std::string currency{};                  ///< of all costs; empty: the prices have none
  std::optional<double> staleness_mean{};  ///< without any change, as Change::staleness_mean
  std::string uneven_share{};              ///< without any change
  double path_s = 0;                       ///< length of the critical path: the training, whole
  double queued = 0;                       ///< its part that waited for a core, 0 to 1
  Limit limit;
  bool path_whole = true;       ///< false: of the beginning of a long training
  std::vector<PathShare> path;  ///< the largest first
  std::vector<Change> changes;  ///< who saves most first; impossible ones last
  std::vector<Crossover> crossovers;
  std::vector<PhasePair> phases;  ///< of a recorded run
  std::optional<Verified> verified;
  std::string not_verified;  ///< why not, where it was asked for

  /// The change called so, or null.
  [[nodiscard]] const Change* find(std::string_view name) const;
};

/// `sync: server NIC limits it, 75 % of the critical path`
std::string limit_text(const Case& scenario_case, const Limit& limit);
/// The limit, its cost and the change that saves most, in one sentence; changes within the
/// forecast's error are no advice.
std::string first_sentence(const WhatIf& whatif);
/// What `whatif --json` prints.
nlohmann::ordered_json to_json(const WhatIf& whatif);
/// The changes, the critical path, phases of a recorded run. `whatif` is what to_json made of a
/// case. @throws InputError with the key that is wrong
Result whatif_result(const JsonObject& whatif);

/// Of a training whose workers go in step: of each step the phases of the worker that waited least,
/// which the others waited for, s a step in the mean. Its remaining wait is that for the server.
/// Nothing where workers do not wait for each other, or the record has no rows.
///
/// Realism: a server that is late with one bucket, a step that begins before the last one is whole
/// for everybody are not told apart. The critical path of a simulation does.
std::optional<PhaseSeconds> recorded_path(const Record& record);

}  // namespace foretrain
