#include "reports/validation/validate_into.h"

#include "reports/record/files.h"

#include <fmt/format.h>

namespace foretrain {

Validation validate_into(const std::filesystem::path& folder, const std::vector<Case>& cases,
                         int repetitions, const std::function<Record(const Case&)>& run,
                         const std::function<Record(const Case&)>& simulate) {
  const auto place = [&](const char* mode, const Case& each) {
    return folder / mode / each.label();
  };
  for (const Case& each : cases) {
    prepare_folder(place("run", each));
    prepare_folder(place("simulate", each));
  }
  const auto keep = [&](const char* mode, const Case& each, Record record) {
    const bool done = record.outcome == Outcome::done;
    const auto where = done ? place(mode, each) : place("broken", each);
    write_record(record, where);
    if (done) return record;
    throw NotDone(record.outcome,
                  fmt::format("{}; its record so far is in {}", record.failure, where.string()));
  };
  Validation validation = validate(
      cases, repetitions, [&](const Case& each) { return keep("run", each, run(each)); },
      [&](const Case& each) { return keep("simulate", each, simulate(each)); });
  for (const CaseValidation& each : validation.cases) {
    write_record(each.run, place("run", each.scenario_case));
  }
  return validation;
}

}  // namespace foretrain
