// A validation whose records are kept in a folder as they come.
#pragma once

#include "reports/validation/validation.h"

#include <filesystem>
#include <stdexcept>

namespace foretrain {

/// A training of a validation was not done; its record so far is kept.
class NotDone : public std::runtime_error {
 public:
  NotDone(Outcome outcome, const std::string& what) : std::runtime_error(what), outcome_(outcome) {}
  [[nodiscard]] Outcome outcome() const { return outcome_; }

 private:
  Outcome outcome_;
};

/// As `validate`, with records in FOLDER/run/CASE and FOLDER/simulate/CASE; of the repetitions the
/// median is left there in the end. What was interrupted loses only the training that it was in:
/// its record goes to FOLDER/broken/CASE.
/// @throws NotDone where a training fails or is interrupted, InputError where nothing can be
/// written (before anything is trained)
Validation validate_into(const std::filesystem::path& folder, const std::vector<Case>& cases,
                         int repetitions, const std::function<Record(const Case&)>& run,
                         const std::function<Record(const Case&)>& simulate);

}  // namespace foretrain
