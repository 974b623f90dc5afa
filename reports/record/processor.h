// The processor of a machine, as it names itself.
#pragma once

#include "models/base/quantity.h"

#include <string>

namespace foretrain {

/// What tells machines apart that people call by one name. A cache of size 0: nobody said.
struct Processor {
  std::string name;  ///< `Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz`
  int family = 0;    ///< with `model`: which design it is; a virtual machine's name may say little
  int model = 0;
  int cores = 0;  ///< that this process may use
  Bytes l1d;      ///< of a core
  Bytes l2;       ///< likewise
  Bytes l3;       ///< shared

  bool operator==(const Processor&) const = default;
};

}  // namespace foretrain
