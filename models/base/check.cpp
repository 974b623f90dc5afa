#include "models/base/check.h"

namespace foretrain {

void fail_check(const char* file, int line, const std::string& what) {
  throw InvariantViolation(fmt::format("{}:{}: check failed: {}", file, line, what));
}

}  // namespace foretrain
