// A training that was not done, as an error.
#pragma once

#include "reports/record/record.h"

#include <stdexcept>
#include <string>

namespace foretrain {

/// A training was not done that others depend on; its record so far is kept where one is written.
class NotDone : public std::runtime_error {
 public:
  NotDone(Outcome outcome, const std::string& what) : std::runtime_error(what), outcome_(outcome) {}
  [[nodiscard]] Outcome outcome() const { return outcome_; }

 private:
  Outcome outcome_;
};

}  // namespace foretrain
