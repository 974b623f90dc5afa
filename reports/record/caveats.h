// Caveats to be known before a training is compared with others.
#pragma once

#include "reports/record/record.h"

#include <string>
#include <vector>

namespace foretrain {

/// The workers that made more than 1.5 times an equal share of the gradients: `worker0 made 82 % of
/// the gradients, where an even share is 33 %: it shares a host with server0`. Empty if none did.
std::string uneven_share(const Record& record);

/// All caveats: uneven_share, divergence, events of the scenario after its end, workers on shared
/// cores. Sentences without a full stop.
std::vector<std::string> caveats(const Record& record);

/// A caveat of a training with its title.
struct TitledCaveat {
  std::string title;
  std::string caveat;
};
/// Sentences to append to a comparison, each after a space; of many only the first four.
std::string caveats_of(const std::vector<TitledCaveat>& all);

}  // namespace foretrain
