// Reports of errors, with exit statuses.
#include "models/base/check.h"
#include "models/base/quantity.h"
#include "models/data/data_error.h"
#include "reports/cli/commands.h"
#include "reports/record/interruption.h"
#include "reports/record/not_done.h"
#include "reports/record/stderr_note.h"
#include "scenarios/language/file_errors.h"
#include "scenarios/language/input_error.h"
#include "scenarios/language/units.h"

#include <fmt/format.h>

#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <new>

namespace foretrain {
namespace {

/// Peak resident memory of this process.
Bytes peak_memory() {
  constexpr std::int64_t kKilobyte = 1024;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return {kKilobyte * usage.ru_maxrss};
}

}  // namespace

int tell_failure(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
    stderr_note(fmt::format(
        "error: there is not enough memory: this process used {} and asked for more; use fewer "
        "examples (dataset.take), fewer workers, or a smaller model or batch\n",
        in_gigabytes(peak_memory())));
    return kFailed;
  }
  const bool tells_itself = dynamic_cast<const NotDone*>(&error) != nullptr ||
                            dynamic_cast<const WriteError*>(&error) != nullptr;
  if (Interruption::last() != 0 && !tells_itself) {  // a consequence of the signal
    stderr_note(fmt::format("error: {}\n", interrupted_by(Interruption::last())));
    return kInterrupted;
  }
  const bool bug = dynamic_cast<const InvariantViolation*>(&error) != nullptr;
  stderr_note(fmt::format("error: {}{}\n", bug ? "foretrain has a bug: " : "", reason_of(error)));
  if (const auto* broken = dynamic_cast<const NotDone*>(&error))
    return status_of(broken->outcome());
  if (dynamic_cast<const WriteError*>(&error) != nullptr) return kFailed;
  const bool input = dynamic_cast<const InputError*>(&error) != nullptr ||
                     dynamic_cast<const DataError*>(&error) != nullptr;
  return input ? kBadInput : kFailed;
}

void unless_full(int& status, const std::function<void()>& part) {
  try {
    part();
  } catch (const WriteError& error) {
    status = std::max(status, tell_failure(error));
  }
}

int exit_status(const std::function<int()>& act) {
  int status = kDone;
  try {
    status = act();
  } catch (const std::exception& error) {
    status = tell_failure(error);
  }
  std::cout.flush();
  const bool taken = std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good();
  if (Interruption::last() != 0) return kInterrupted;
  if (taken || status != kDone) return status;
  stderr_note("error: standard output: cannot write all of it\n");
  return kFailed;
}

}  // namespace foretrain
