// What is to be known of a training before its figures are compared with those of others.
#pragma once

#include "reports/record/record.h"

#include <string>
#include <vector>

namespace foretrain {

/// Whose gradients the training is made of, where a worker made more than 1.5 times an even share:
/// `worker0 made 82 % of the gradients, where an even share is 33 %: it shares a host with
/// server0`. Empty: none did.
std::string uneven_share(const Record& record);

/// That, and whether it diverged, what of the scenario came after its end, whether workers share
/// cores: sentences without a full stop.
std::vector<std::string> caveats(const Record& record);

/// A caveat of one of several trainings.
struct TitledCaveat {
  std::string title;
  std::string caveat;
};
/// Sentences to follow one that compares them, each behind a space; of many the first ones.
std::string caveats_of(const std::vector<TitledCaveat>& all);

}  // namespace foretrain
