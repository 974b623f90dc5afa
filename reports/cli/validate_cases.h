// What the command `validate` does.
#pragma once

#include "reports/cli/commands.h"
#include "reports/studies/ledger/ledger.h"
#include "reports/studies/validation/validate_into.h"

#include <filesystem>
#include <optional>
#include <vector>

namespace foretrain {

struct Judgement {
  int repetitions = 5;
  /// Fail where a strategy's median error of step time is above so many per cent (--fail-above).
  std::optional<double> fail_above;
};

/// Where what was measured is entered.
struct LedgerPlace {
  std::filesystem::path path;
  Occasion measured;
};

/// Validates all cases into the folder of the answer, tells what came out, draws figures. In a
/// folder that nobody named, a validation that was finished begins anew; what is of another
/// scenario is set aside there, elsewhere by `force` alone. Returns the exit status: kFailed where
/// weights differ, `fail_above` says so, or the disk took not all; a goal that is missed is no
/// failure.
/// @throws NotDone, InputError as validate_into does
int validate_cases(const Answer& answer, const std::vector<Case>& cases, const Judgement& judgement,
                   const Modes& modes, const std::optional<LedgerPlace>& ledger = {});

}  // namespace foretrain
