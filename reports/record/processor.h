// The processor of a machine, as it names itself.
#pragma once

#include "models/base/quantity.h"

#include <string>

namespace foretrain {

/// Distinguishes machines with the same name. A cache size of 0 is not known.
struct Processor {
  std::string name;  ///< `Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz`
  int family = 0;    ///< with `model`: the design; the name in a virtual machine may be vague
  int model = 0;
  int cores = 0;  ///< number of cores that this process may use
  Bytes l1d;      ///< per core
  Bytes l2;       ///< per core
  Bytes l3;       ///< shared

  bool operator==(const Processor&) const = default;
};

}  // namespace foretrain
