// The limit of a training with the gains of possible changes, each by simulation.
#pragma once

#include "reports/studies/whatif/whatif_data.h"
#include "sim/driver/simulate.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace foretrain::sim {

struct WhatIfOptions {
  /// Machines, emulation and interruption are used; the rest is set here.
  SimulateOptions simulate;
  int threads = 1;  ///< concurrent simulations; the result does not depend on it
  /// Also search the best batch size and number of servers: many complete trainings.
  bool search = false;
  /// Executes a real training; empty if nothing is verified.
  std::function<Record(const Case&)> run;
  std::string verify;   ///< the change to run; empty for the one that saves most
  int repetitions = 3;  ///< of both runs
  /// Called after each simulation, from one thread at a time.
  std::function<void(std::int64_t done, std::int64_t all)> progress;
};

/// Refuses options without effect on any of the cases: a `verify` that names no change of a
/// scenario, a `search` if nothing can be searched. @throws InputError that lists the alternatives
void check_asked(const std::vector<Case>& cases, const WhatIfOptions& options);

/// Simulates the case (the shape of its data is enough: needed data come from `data_sets`), finds
/// its critical path, and simulates it again with each change, all with the same seed: stragglers
/// have the same draws.
///
/// Times are compared for the same number of examples: a change of workers, batch or strategy
/// changes the number of steps; evaluations stay at the same distance in examples. Learning rates
/// stay the same. If the scenario has a target (`training.until`), the times to the target are
/// compared, and gradients are carried out. Otherwise they are not, unless the model is sparse: its
/// messages depend on its examples.
///
///     elasticity = - d ln(time) / d ln(speed of the resource),  from a speed 1 % higher
///
/// Times to a target are interpolated between evaluations, which is too coarse for 1 %: there is no
/// elasticity then.
///
/// @throws InputError as simulate; NotDone if the unchanged training does not end
WhatIf ask_what_if(const Prepared& prepared, DataSets& data_sets, const WhatIfOptions& options);

/// The same for a record's scenario, with the recorded phases next to the simulated ones.
WhatIf ask_what_if(const Record& record, const Prepared& prepared, DataSets& data_sets,
                   const WhatIfOptions& options);

}  // namespace foretrain::sim
