// The command `import`.
#pragma once

#include "reports/cli/arguments.h"

#include <optional>
#include <string>

namespace foretrain {

struct ImportArguments : Output {
  std::string trace;           ///< file of a trace or of layers; with `step` a scenario
  int batch = 0;               ///< batch size of a worker; 0: the trace's
  std::optional<int> rank;     ///< process in a trace of several
  std::optional<int> device;   ///< device in a trace of several
  std::string step;            ///< measured time of a step, `350 ms`; empty: use a trace
  std::string parameters;      ///< with `step`: number of parameters, `110M`
  std::optional<int> workers;  ///< with `step`: its workers; the scenario's if not given
};
void import_options(CLI::App& command, ImportArguments& arguments);

/// Reads the trace or table, prints the parts of its step, writes the job. For a trace of several
/// workers it also prints the forecast step time of as many workers, computed by `simulate`.
/// @throws InputError
int import_training(const ImportArguments& arguments, const Train& simulate);

/// Finds the time of a gradient with which a step on the scenario's cluster, as forecast by
/// `simulate`, takes as long as measured. Writes the scenario with a profile in place of its model.
/// @throws InputError (no cluster, several cases, communication longer than the measured step)
int import_step(const ImportArguments& arguments, const Train& simulate);

}  // namespace foretrain
