// The bottleneck of a training, the gain of each change: as data, for texts or figures.
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
  double share = 0;     ///< share of the path, 0 to 1
  std::string whose{};  ///< straggling: the node with most of it, worker2
};

/// The bottleneck: the largest part of the path. Both directions of the servers' NICs count as one.
struct Limit {
  std::string resource;  ///< `server NIC`
  double share = 0;
  std::string whose{};   ///< as PathShare::whose
  std::string change{};  ///< name of the change that makes it faster; empty if there is none
};

/// One change, simulated without the others. Times are those of `WhatIf::measure`.
struct Change {
  enum class Kind { resource, cluster, training };

  std::string name;  ///< `server NIC in 2x`, `one more worker`
  std::string what;  ///< its effect on the scenario, a sentence
  Kind kind = Kind::resource;
  std::optional<double> time_s;       ///< time with it; empty if not reached, or impossible
  std::optional<double> free_time_s;  ///< resource: time if the resource took none
  /// Resource: per cent by which the time falls if it is 1 % faster. Empty with a target: the time
  /// until an evaluation meets it is too noisy for a change of 1 %.
  std::optional<double> elasticity;
  std::optional<double> cost;  ///< price of all hosts for that time, if they have prices
  std::string why_not;         ///< why it was not simulated; else empty
  /// Why it learns something else from as many examples than synchronous SGD; empty if it does not.
  std::string statistical_efficiency;
  std::string uneven_share{};  ///< uneven_share (caveats.h) of its record
  /// Mean staleness with it, in updates; empty if not simulated, or if workers are in lockstep.
  std::optional<double> staleness_mean{};
  /// Scheduling anomaly (Graham 1966): more of the resource takes longer, or less of it is faster,
  /// because work that arrives earlier takes a core or a port from work that others wait for. The
  /// time then says nothing about the resource.
  bool reordered = false;
};

/// The point at which one choice begins to beat another, found by search.
struct Crossover {
  std::string question;
  std::string answer;           ///< a sentence
  std::optional<double> value;  ///< the figure in it
  bool asked = false;           ///< by --crossover; else searched without being asked
};

/// A change that was run for real.
struct Verified {
  std::string change;
  int repetitions = 1;  ///< runs of each; the times are medians
  double before_s = 0;  ///< measured
  double after_s = 0;   ///< measured
  double forecast_before_s = 0;
  double forecast_after_s = 0;

  /// Forecast of the time with the change over the measured one, minus 1.
  [[nodiscard]] double error() const { return forecast_after_s / after_s - 1; }
  /// The same for the ratio of both times, which is the effect of the change.
  [[nodiscard]] double ratio_error() const {
    return forecast_after_s / forecast_before_s / (after_s / before_s) - 1;
  }
};

/// Mean time of a phase per step, recorded and simulated, in seconds.
struct PhasePair {
  std::string phase;
  double recorded_s = 0;
  double simulated_s = 0;
  std::optional<double> path_s;  ///< recorded on the critical path, as by recorded_path
};

struct WhatIf {
  Case scenario_case;
  std::string machine;
  std::string uncalibrated;  ///< as Record::uncalibrated
  std::string source{};      ///< source_of the training as it is, in short
  std::string stands_on{};   ///< basis of the forecast: compute times, jitter, earlier errors
  std::string recorded;      ///< mode of the record that the scenario is from; empty if none
  std::string measure;       ///< the work that is timed: `57,600 examples`, `accuracy 0.97`
  double examples = 0;
  std::optional<double> time_s;  ///< without any change
  ForecastRange range{};         ///< of time_s; times with changes share most of its error
  std::string no_time{};         ///< why there is no time, with advice: the target is not reached
  std::optional<double> cost;
  std::string currency{};                  ///< currency of all costs; empty if the prices have none
  std::optional<double> staleness_mean{};  ///< without any change, as Change::staleness_mean
  std::string uneven_share{};              ///< without any change
  double path_s = 0;                       ///< length of the critical path: the whole training
  double queued = 0;                       ///< share of the path spent waiting for a core, 0 to 1
  Limit limit;
  bool path_whole = true;       ///< false: the path covers the beginning of a long training
  std::vector<PathShare> path;  ///< largest first
  std::vector<Change> changes;  ///< largest saving first; impossible ones last
  std::vector<Crossover> crossovers;
  std::vector<PhasePair> phases;  ///< only for a recorded run
  std::optional<Verified> verified;
  std::string not_verified;  ///< why not, if verification was asked for

  /// The change with this name, or null.
  [[nodiscard]] const Change* find(std::string_view name) const;
};

/// `sync: server NIC limits it, 75 % of the critical path`
std::string limit_text(const Case& scenario_case, const Limit& limit);
/// The bottleneck, the gain from relieving it, the change that saves most, in one sentence. Changes
/// within the forecast's error are not recommended.
std::string first_sentence(const WhatIf& whatif);
/// The object that `whatif --json` prints.
nlohmann::ordered_json to_json(const WhatIf& whatif);
/// The changes, the critical path, the phases of a recorded run, from an object of to_json.
/// @throws InputError that names the wrong key
Result whatif_result(const JsonObject& whatif);

/// Critical path of a training with workers in lockstep: the mean phases per step, in seconds, of
/// the worker that waited least in each step, since the others waited for it. Its remaining wait is
/// for the server. Empty if workers do not wait for each other, or the record has no rows.
///
/// Realism: it cannot tell a server that is late with one bucket from a step that begins before the
/// last one is complete on all workers. The critical path of a simulation can.
std::optional<PhaseSeconds> recorded_path(const Record& record);

}  // namespace foretrain
