// The command `import`.
#pragma once

#include "reports/cli/arguments.h"

#include <optional>
#include <string>

namespace foretrain {

struct ImportArguments : Output {
  std::string trace;           ///< or a table of layers; with `step`: a scenario
  int batch = 0;               ///< 0: as the trace says
  std::optional<int> rank;     ///< in a trace of several
  std::optional<int> device;   ///< likewise
  std::string step;            ///< what one took, 350 ms; empty: a trace says it
  std::string parameters;      ///< with it: of the model, 110M
  std::optional<int> workers;  ///< with it; left out: as the scenario says
};
void import_options(CLI::App& command, ImportArguments& arguments);

/// Reads the trace or table, says what a step of it is made of, writes the job. Of a trace of
/// several workers, the forecast of as many stands beside what was seen; `simulate` makes it.
/// @throws InputError
int import_training(const ImportArguments& arguments, const Train& simulate);

/// Finds what a gradient takes, so that a step takes as long as was measured on the cluster of the
/// scenario; `simulate` says what it takes. Writes the scenario anew, with a profile in place of
/// its model. @throws InputError (no cluster, several cases, a network that takes longer than that)
int import_step(const ImportArguments& arguments, const Train& simulate);

}  // namespace foretrain
