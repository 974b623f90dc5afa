// What a record says of the program that wrote it.
#pragma once

#include "reports/record/provenance.h"

namespace foretrain::exec {

/// Of this process, now.
Provenance this_program();

}  // namespace foretrain::exec
