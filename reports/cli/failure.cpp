#include "reports/cli/failure.h"

#include "models/base/check.h"
#include "models/data/data_error.h"
#include "reports/cli/commands.h"
#include "reports/record/not_done.h"
#include "scenarios/input_error.h"

#include <fmt/format.h>

#include <cstdio>
#include <new>

namespace foretrain {

int tell_failure(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
    fmt::print(stderr, "error: there is not enough memory for it\n");
    return kFailed;
  }
  const bool bug = dynamic_cast<const InvariantViolation*>(&error) != nullptr;
  fmt::print(stderr, "error: {}{}\n", bug ? "foretrain has a bug: " : "", error.what());
  if (const auto* broken = dynamic_cast<const NotDone*>(&error))
    return status_of(broken->outcome());
  const bool input = dynamic_cast<const InputError*>(&error) != nullptr ||
                     dynamic_cast<const DataError*>(&error) != nullptr;
  return input ? kBadInput : kFailed;
}

}  // namespace foretrain
