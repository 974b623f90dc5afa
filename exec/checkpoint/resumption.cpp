#include "exec/checkpoint/resumption.h"

#include "reports/record/files.h"
#include "reports/record/stderr_note.h"
#include "scenarios/language/input_error.h"
#include "scenarios/language/reader.h"
#include "scenarios/resolve/equal_work.h"
#include "scenarios/resolve/faults.h"
#include "scenarios/resolve/read.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace foretrain::exec {
namespace {

/// Steps that the worker of `row` had reported before the cut.
std::int64_t reported_by(const StepRow& row, const Manifest& manifest) {
  const auto index = static_cast<std::size_t>(row.worker);
  return index < manifest.parts.size() ? manifest.parts[index].reported : 0;
}

// Removes rows from after the cut, whose steps will be repeated.
void cut_rows(Record& record, const Manifest& manifest) {
  std::erase_if(record.steps, [&](const StepRow& row) {
    return row.report.step.value >= reported_by(row, manifest);
  });
  const auto evaluated = static_cast<std::size_t>(manifest.parts.front().evaluated);
  if (record.evals.size() > evaluated) record.evals.resize(evaluated);
  record.step_totals.reset();
}

// Removes data tied to servers: their numbers and the routes of messages have changed.
void leave_servers(Record& record, int nodes) {
  record.inputs.clear();
  std::erase_if(record.usage, [&](const UsageRow& row) { return row.node >= nodes; });
}

// Removes rows from after the cut: a completed training repeats that part without lost time.
Instant take_back(Record& record, Instant cut) {
  std::erase_if(record.usage, [&](const UsageRow& row) { return row.time > cut; });
  std::erase_if(record.inputs, [&](const InputRow& row) { return row.time > cut; });
  return cut;
}

// End of a run, which is only visible in its latest rows if it was killed.
Instant latest_in(const Record& record, Instant cut) {
  Instant end = std::max({cut, record.ended, Instant{} + record.time});
  for (const StepRow& row : record.steps) {
    end = std::max(end, row.report.start + length_of(row.report.phases));
  }
  for (const UsageRow& row : record.usage) end = std::max(end, row.time);
  for (const InputRow& row : record.inputs) end = std::max(end, row.time);
  return end;
}

}  // namespace

// Counts rows if there are any: a worker that returned has left numbers out.
std::int64_t Resumption::reported() const {
  if (!record.steps.empty()) return std::ssize(record.steps);
  std::int64_t steps = 0;
  for (const Part& part : manifest.parts) steps += part.reported;
  return steps;
}

NodeCounts check_is_of(const Manifest& manifest, const Case& scenario_case) {
  const Scenario kept = parse_scenario(manifest.scenario, "checkpoint").front().scenario;
  if (const auto difference = difference_in_training(kept, scenario_case.scenario)) {
    const auto said = [](const std::string& text) { return text.empty() ? "left out" : text; };
    fail_at(scenario_case.place_of(difference->key), difference->key,
            fmt::format(
                "{}, but the checkpoint is of a training with {}; write that to continue it, or "
                "leave --resume out",
                said(difference->second), said(difference->first)));
  }
  const NodeCounts counts = node_counts(kept);
  bool all = std::ssize(manifest.parts) == counts.nodes();
  for (int node = 0; all && node < counts.nodes(); ++node) {
    const std::string& role = manifest.parts[static_cast<std::size_t>(node)].role;
    all = node_called(kept, role) == node;
  }
  if (!all) throw InputError("checkpoint: its parts are not those of the nodes; it is damaged");
  return counts;
}

std::vector<std::string> lost_tables(const Record& record, const Manifest& manifest) {
  std::vector<std::string> tables;
  const bool any =
      std::ranges::any_of(manifest.parts, [](const Part& p) { return p.reported > 0; });
  if (record.step_totals || !any) return tables;  // a summary has no rows
  const bool has_last_step = std::ranges::any_of(record.steps, [&](const StepRow& row) {
    return row.report.step.value + 1 >= reported_by(row, manifest);
  });
  if (!has_last_step) tables.emplace_back(kStepsFile);
  if (std::ssize(record.evals) < manifest.parts.front().evaluated) tables.emplace_back(kEvalsFile);
  if (record.usage.empty()) tables.emplace_back(kUsageFile);
  if (record.inputs.empty()) tables.emplace_back(kInputsFile);
  return tables;
}

Resumption find_resumption(const std::filesystem::path& folder, const Case& scenario_case,
                           bool here, std::int64_t before) {
  Resumption resumption;
  resumption.folder = std::filesystem::absolute(folder);
  Newest newest = newest_checkpoint(resumption.folder, here, before);
  for (const std::string& why : newest.passed_over)
    stderr_note(fmt::format("checkpoint skipped: {}\n", why));
  if (!newest.manifest) {
    throw InputError(fmt::format(
        "{}: no complete checkpoint here{}", (folder / kCheckpointsFolder).string(),
        newest.passed_over.empty() ? "; a run writes them if its scenario has checkpoint:"
                                   : "; " + newest.passed_over.front()));
  }
  resumption.manifest = *std::move(newest.manifest);
  resumption.counts = check_is_of(resumption.manifest, scenario_case);
  const NodeCounts now = node_counts(scenario_case.scenario);
  resumption.servers = now.servers;
  resumption.record = read_record(folder);
  for (const std::string& table : lost_tables(resumption.record, resumption.manifest)) {
    stderr_note(
        fmt::format("{}: rows before step {} are missing; the record continues without them\n",
                    (folder / table).string(), resumption.manifest.cut));
  }
  const Instant cut = resumption.manifest.time;
  if (resumption.record.outcome == Outcome::done) {
    stderr_note(fmt::format("the training in {} was finished; it is repeated from step {} on\n",
                            folder.string(), resumption.manifest.cut));
    resumption.ended = take_back(resumption.record, cut);
  } else {
    resumption.ended = latest_in(resumption.record, cut);
  }
  cut_rows(resumption.record, resumption.manifest);
  const int recorded = node_counts(resumption.record.scenario_case.scenario).servers;
  if (now.servers != resumption.counts.servers || now.servers != recorded) {
    leave_servers(resumption.record, now.nodes());
  }
  return resumption;
}

std::optional<std::int64_t> step_to_go_on_from(const std::filesystem::path& folder,
                                               const Case& scenario_case, bool here) {
  try {
    const auto record = read_record_head(folder);
    if (!record || record->outcome == Outcome::done) return std::nullopt;
    const Newest newest = newest_checkpoint(folder, here);
    if (!newest.manifest) return std::nullopt;
    check_is_of(*newest.manifest, scenario_case);
    return newest.manifest->cut;
  } catch (const InputError&) {
    return std::nullopt;  // an unreadable record is handled elsewhere (folders.h)
  }
}

std::string where_it_goes_on(const Resumption& resumption) {
  const Manifest& manifest = resumption.manifest;
  const std::filesystem::path place = folder_of_cut(resumption.folder, manifest.cut);
  const std::filesystem::path near = std::filesystem::proximate(place);
  const bool below = !near.empty() && *near.begin() != "..";
  std::string text =
      fmt::format("continues from step {}, {}", manifest.cut, (below ? near : place).string());
  if (const int then = resumption.counts.servers; then != resumption.servers) {
    text += fmt::format("; the parameters of {} server{} are distributed to {}", then,
                        then == 1 ? "" : "s", resumption.servers);
  }
  return text;
}

}  // namespace foretrain::exec
