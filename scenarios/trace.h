// Step times that were measured somewhere, as factors of slow steps.
#pragma once

#include "scenarios/scenario.h"

#include <memory>
#include <string>
#include <vector>

namespace foretrain {

/// A CSV file of step times, in any unit, a row each, in the order of time. A first line that is
/// not all numbers names the columns. Where one of them is called `worker`, the file holds the
/// times of several, whose rows may mix.
struct Trace {
  /// Of each worker of the file in turn, by its number there: its times over the mean of all times
  /// of the file. So the file has mean 1, and a worker that was slower than the others stays so.
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

}  // namespace foretrain
