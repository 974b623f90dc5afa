// What limits a training, what each change would buy: by simulating it again with each.
#pragma once

#include "reports/studies/whatif/whatif.h"
#include "sim/driver/simulate.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace foretrain::sim {

struct WhatIfOptions {
  /// Machines, emulation, interruption; the rest is chosen here.
  SimulateOptions simulate;
  int threads = 1;  ///< that simulate at once; what comes out does not depend on it
  /// Look for the best batch size, the best number of servers too: many whole trainings.
  bool search = false;
  /// Trains for real; empty: nothing is verified.
  std::function<Record(const Case&)> run;
  std::string verify;   ///< the change that is run; empty: the one that saves most
  int repetitions = 3;  ///< of both runs
  /// Called after each simulation, from one thread at a time.
  std::function<void(std::int64_t done, std::int64_t all)> progress;
};

/// Refuses what would be of no effect on any of the cases: `verify` that names no change of a
/// scenario, `search` where there is nothing to search. @throws InputError that says what there is
void check_asked(const std::vector<Case>& cases, const WhatIfOptions& options);

/// Simulates the case (the shape of its data will do: what has to be read is from `data_sets`),
/// finds its critical path, simulates it again with each change, all with the same seed: straggling
/// is the same draws.
///
/// Times are compared for the same number of examples: a change of workers, of the batch, of the
/// strategy changes the number of steps, evaluations stay as far apart in examples. Learning rates
/// stay as they are. Where the scenario has a target (`training.until`), the time until it is
/// reached is compared, gradients are carried out. Else they are not, unless the model is sparse,
/// whose messages depend on its examples.
///
///     elasticity = - d ln(time) / d ln(speed of the resource),  from a speed 1 % higher
///
/// Times to a target are interpolated between evaluations, for which 1 % is too little: then there
/// is no elasticity.
///
/// @throws InputError as simulate; NotDone where the training as it is does not end
WhatIf ask_what_if(const Prepared& prepared, DataSets& data_sets, const WhatIfOptions& options);

/// The same of a record's scenario, with the phases that were recorded beside those simulated.
WhatIf ask_what_if(const Record& record, const Prepared& prepared, DataSets& data_sets,
                   const WhatIfOptions& options);

}  // namespace foretrain::sim
