// The error for a training that was not completed.
#pragma once

#include "reports/record/record.h"

#include <stdexcept>
#include <string>

namespace foretrain {

/// Thrown if a training that others depend on fails; its record so far may have been saved.
class NotDone : public std::runtime_error {
 public:
  NotDone(Outcome outcome, const std::string& what) : std::runtime_error(what), outcome_(outcome) {}
  [[nodiscard]] Outcome outcome() const { return outcome_; }

 private:
  Outcome outcome_;
};

}  // namespace foretrain
