// What slows a worker down, stops a node for a while: the same draws in both modes.
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

/// A CSV file of step times, in any unit, a row each, in the order of time. A first line that is
/// not all numbers names the columns. Where one of them is called `worker`, the file holds the
/// times of several, whose rows may mix.
struct Trace {
  /// The times of each worker, in the order of their numbers in the file, over the mean of all
  /// times of the file. So the file has mean 1, and a worker that was slower than the others stays
  /// so.
  std::vector<std::vector<double>> factors;
};

/// Reads the times of `column`; of the last one where it is empty.
/// @throws DataError with file and line: no such file, no such column, rows of another length than
/// the first, a time that is missing, no number, not above 0
Trace read_trace(const std::string& path, const std::string& column);

/// The traces of a scenario, each file read once however many workers it concerns. Copies share
/// them.
class Traces {
 public:
  /// @throws InputError with the place of `trace:`, then as read_trace says
  explicit Traces(const Case& scenario_case);

  /// Of the straggler with this index; null where it has none.
  [[nodiscard]] std::shared_ptr<const Trace> of(std::size_t straggler) const {
    return traces_.at(straggler);
  }

 private:
  std::vector<std::shared_ptr<const Trace>> traces_;  // by straggler
};

/// The factors of one worker's gradients, from the stream `straggler.worker<w>`. Every straggler
/// that concerns the worker multiplies in, in the order of the scenario; distributions have
/// mean 1, so a factor's mean is the product of the slowdowns.
///
/// A trace is no draw: the factor of the n-th gradient is the n-th of the trace, then it begins
/// again. The k-th worker of `workers:` takes those of the k-th worker of the file; where they
/// outnumber it, those who share one begin as far apart in it as can be: the r-th of s at r/s of
/// its length, so that they are not slow all at once.
class StragglerDraws {
 public:
  /// `traces`: of that scenario.
  StragglerDraws(const Scenario& scenario, int worker, const Traces& traces);
  /// Reads the traces itself. @throws InputError as Traces
  StragglerDraws(const Scenario& scenario, int worker);

  /// The factor of the next gradient, above 0.
  double next();

 private:
  enum class Kind : std::uint8_t { constant, exponential, shifted, lognormal, pareto, trace };
  /// What a straggler makes of each gradient.
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

/// A time in which a node stands still.
struct Pause {
  Instant begin;
  Duration length;

  [[nodiscard]] Instant end() const { return begin + length; }
};

/// The pauses of one node. Each straggler with a `pause:` that concerns it draws on its own, the
/// n-th of them from the stream `pause.worker<w>.<n>`: from time zero, or the end of its last
/// pause, to its next one it is an exponential time of mean `every`. A fault with `stop:` is one
/// pause more.
class PauseDraws {
 public:
  /// `node`: workers are counted first, then servers, which no straggler concerns.
  PauseDraws(const Scenario& scenario, int node);

  /// The next pause by its begin, which may lie within one before it where several stragglers make
  /// them; nothing where none does.
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

/// Whether one node stands still, for a driver that looks whenever this says so. Pauses that
/// begin within another make it longer.
class StandingStill {
 public:
  /// Pauses take `stretch` times as long as they are drawn; 0: there are none.
  StandingStill(const Scenario& scenario, int node, double stretch = 1);

  /// The training goes on at `now`: what began before has happened. Before the first look.
  void begin_at(Instant now);
  /// What has become due by `now` happens: from now on it stands still, or does not.
  bool look(Instant now);
  [[nodiscard]] bool now() const { return until_.has_value(); }
  /// When to look next; nothing: it does what it does for good.
  [[nodiscard]] std::optional<Instant> next_look() const;
  /// No pause any more.
  void end();

 private:
  std::optional<Pause> draw();

  PauseDraws draws_;
  double stretch_;
  std::optional<Pause> next_;
  std::optional<Instant> until_;  // it stands still
};

/// The longest pause that a straggler makes; 0 where none does.
Duration longest_pause(const Scenario& scenario);

}  // namespace foretrain
