// Paths that the build defines.
#include "tests/support/places.h"

namespace foretrain {

const char* program_path() { return FORETRAIN_PROGRAM; }

std::string source_dir() { return FORETRAIN_SOURCE_DIR; }

}  // namespace foretrain
