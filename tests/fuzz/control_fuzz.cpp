// Fuzzes the launcher's reader of messages from its nodes.
#include "exec/launch/control.h"
#include "exec/metrics/metrics.h"
#include "reports/record/collector.h"
#include "reports/record/record_tables.h"
#include "reports/record/summary.h"
#include "scenarios/language/input_error.h"
#include "tests/fuzz/fuzz.h"
#include "tests/reports/support.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <functional>

using namespace foretrain;
using namespace foretrain::exec;

namespace {

constexpr std::array kKinds{ControlKind::steps,  ControlKind::evals,    ControlKind::usage,
                            ControlKind::inputs, ControlKind::finished, ControlKind::setup};
constexpr std::size_t kNode = 1;

Payload payload_of(std::string_view text) {
  Payload payload = Payload::allocate({static_cast<std::int64_t>(text.size())});
  std::ranges::copy(std::as_bytes(std::span(text)), payload.writable_bytes().begin());
  return payload;
}

/// The launcher's use of rows, during and at the end of a run.
void use(Record& record) {
  Metrics metrics;
  metrics.follow(record, 100);
  (void)metrics.text();
  RowTally tally;
  tally.add(record);
  record.outcome = Outcome::interrupted;
  tally.fill_in(record);
  CsvWriter evals = evals_table();
  for (const EvalReport& row : record.evals) add_row(evals, row);
  sort_rows(record);
  (void)to_json(record);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto [which, text] = fuzz::chosen_of(fuzz::text_of(data, size), kKinds.size());
  const Payload payload = payload_of(text);
  Record record = testing::small_record(Mode::run, "sync");
  try {
    switch (kKinds[which]) {
      case ControlKind::finished:
        add_finished(record, kNode, json_of(payload));
        break;
      case ControlKind::setup:
        (void)to_json(dataset_shape_of(json_of(payload)));
        return 0;
      default:
        add_rows(record, kNode, kKinds[which], payload);
    }
  } catch (const nlohmann::json::exception&) {  // the launcher reports it as invalid
    return 0;
  } catch (const BadValue&) {  // the same
    return 0;
  }
  use(record);
  return 0;
}
