// Random slowdowns, pauses of nodes: the same draws in both modes.
#pragma once

#include "models/base/random.h"
#include "scenarios/spec/scenario.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace foretrain {

/// A CSV file of step times in any unit, one row per time, in time order. A first line that is not
/// all numbers names the columns. A column `worker` distinguishes the times of several workers,
/// whose rows may be interleaved.
struct Trace {
  /// The times of each worker, by its number in the file, divided by the mean of all times of the
  /// file. So the file has mean 1, and a worker that was slower than the others stays slower.
  std::vector<std::vector<double>> factors;
};

/// Reads the times of `column`, or of the last column if it is empty.
/// @throws DataError with file and line: no such file or column, a row whose length differs from
/// the first, a time that is missing, not a number, or not above 0
Trace read_trace(const std::string& path, const std::string& column);

/// The traces of a scenario. Each file is read once for all workers; copies share the traces.
class Traces {
 public:
  /// @throws InputError with the place of `trace:`, then the message of read_trace
  explicit Traces(const Case& scenario_case);

  /// The trace of the straggler with this index; null if it has none.
  [[nodiscard]] std::shared_ptr<const Trace> of(std::size_t straggler) const {
    return traces_.at(straggler);
  }

 private:
  std::vector<std::shared_ptr<const Trace>> traces_;  // by straggler
};

/// The factors of one worker's gradients, from the stream `straggler.worker<w>`. The factors of all
/// stragglers of the worker are multiplied, in the order of the scenario. Distributions have mean
/// 1, so the mean factor is the product of the slowdowns.
///
/// A trace is not random: the n-th gradient has the n-th factor of the trace, which repeats. The
/// k-th worker of `workers:` uses the k-th worker of the file. If there are more workers than in
/// the file, the s workers that share one start evenly spaced in it, the r-th at r/s of its length,
/// so that they are not slow at the same time.
class StragglerDraws {
 public:
  /// `traces`: of `scenario`.
  StragglerDraws(const Scenario& scenario, int worker, const Traces& traces);
  /// Reads the traces itself. @throws InputError as Traces
  StragglerDraws(const Scenario& scenario, int worker);

  /// The factor of the next gradient, above 0.
  double next();

 private:
  enum class Kind : std::uint8_t { constant, exponential, shifted, lognormal, pareto, trace };
  /// The effect of one straggler on each gradient.
  struct Source {
    double slowdown = 1;
    Kind kind = Kind::constant;
    double parameter = 0;                  // of the distribution
    std::shared_ptr<const Trace> trace{};  // keeps the factors alive
    std::span<const double> factors{};
    std::size_t next = 0;  // of the factors
  };

  static double draw(Source& source, Stream& stream);
  void add_distribution(const StragglerSpec& spec);
  void add_trace(const StragglerSpec& spec, std::shared_ptr<const Trace> trace, int worker,
                 int workers);

  std::vector<Source> sources_;
  Stream stream_;
};

/// An exponential time of mean `every`.
Duration draw_interval(Duration every, Stream& stream);

/// A time in which a node is paused.
struct Pause {
  Instant begin;
  Duration length;

  [[nodiscard]] Instant end() const { return begin + length; }
};

/// The pauses of one node. Each straggler with a `pause:` that concerns the node draws separately;
/// the n-th uses the stream `pause.worker<w>.<n>`. The time from zero, or from the end of the last
/// pause, to the next one is exponential with mean `every`. A fault with `stop:` adds one pause.
class PauseDraws {
 public:
  /// `node`: workers are counted first, then servers, which have no stragglers.
  PauseDraws(const Scenario& scenario, int node);

  /// The next pause by its begin, which may lie within an earlier pause of another straggler;
  /// nothing if there is none.
  std::optional<Pause> next();

 private:
  struct Source {
    Duration pause;
    Instant begin;  // of its next
    Duration every;
    std::optional<Stream> stream;  // nothing: it has one pause alone
  };

  std::vector<Source> sources_;
};

/// Tracks whether one node is paused, for a driver that calls `look` when this asks for it. A pause
/// that begins within another extends it.
class StandingStill {
 public:
  /// Pauses take `stretch` times their drawn length; 0: no pauses.
  StandingStill(const Scenario& scenario, int node, double stretch = 1);

  /// The training resumes at `now`: skips earlier pauses. To be called before the first look.
  void begin_at(Instant now);
  /// Processes what is due by `now`; returns whether the node is paused from now on.
  bool look(Instant now);
  [[nodiscard]] bool now() const { return until_.has_value(); }
  /// When to look next; nothing if the state does not change any more.
  [[nodiscard]] std::optional<Instant> next_look() const;
  /// Ends the current pause and drops all later ones.
  void end();

 private:
  std::optional<Pause> draw();

  PauseDraws draws_;
  double stretch_;
  std::optional<Pause> next_;
  std::optional<Instant> until_;  // end of the current pause
};

/// The longest pause of any straggler; 0 if there is none.
Duration longest_pause(const Scenario& scenario);

}  // namespace foretrain
