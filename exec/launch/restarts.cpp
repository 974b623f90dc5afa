#include "exec/launch/restarts.h"

#include "exec/launch/task.h"
#include "reports/record/stderr_note.h"

#include <fmt/format.h>

#include <algorithm>

namespace foretrain::exec {

Restarts::Restarts(const Case& scenario_case, const RunOptions& options)
    : case_(scenario_case), options_(options), resume_(options.resume) {
  if (!resume_.empty() || !is_restarted(process_environment)) return;
  if (has_checkpoint(options.folder)) {
    resume_ = options.folder;
  } else if (!options.folder.empty()) {
    stderr_note(fmt::format(
        "restarted, but {} has no complete checkpoint, so the training begins with step 0\n",
        (options.folder / kCheckpointsFolder).string()));
  }
}

bool Restarts::has_checkpoint(const std::filesystem::path& folder) const {
  return !folder.empty() &&
         newest_checkpoint(folder, !options_.elsewhere(), before(folder)).manifest.has_value();
}

std::int64_t Restarts::before(const std::filesystem::path& folder) const {
  return unread_ && unread_->folder == std::filesystem::absolute(folder) ? unread_->cut : kAnyCut;
}

Beginning Restarts::begin(RunRows& rows, int left) {
  const bool first = failure_.empty();
  const bool own = trained_ && has_checkpoint(options_.folder);
  from_.reset();
  const std::filesystem::path folder = own ? options_.folder : resume_;
  const bool here = !options_.elsewhere();
  if (!folder.empty()) from_ = find_resumption(folder, case_, here, before(folder));
  if (!first) count_lost();
  attempt_.told.clear();
  attempt_.from = from_ ? &*from_ : nullptr;
  // Nodes may have reported a time after the end of the attempt.
  attempt_.time = std::max(ended_, from_ ? from_->ended : Instant{});
  if (first && from_) {
    attempt_.restarts = from_->record.restarts;
    keep_away(from_->record);
  }
  if ((first || went_back_) && from_) {
    stderr_note(fmt::format("{}\n", where_it_goes_on(*from_)));
  } else if (!first) {
    std::string more = where();
    if (options_.max_restarts > 0) more += "; " + supervision::how_many_left(left);
    if (waits_) attempt_.told = fmt::format("all nodes have joined again; {}\n", more);
    if (!waits_) stderr_note(fmt::format("{}; {}\n", failure_, more));
    if (!from_) reported_no_checkpoint_ = true;
  }
  if (from_) rows.go_on_from(from_->record);
  return attempt_;
}

std::string Restarts::where() const {
  if (from_) return where_it_goes_on(*from_);
  std::string text = "the training begins again with step 0";
  if (reported_no_checkpoint_) return text;
  return text + (case_.scenario.checkpoint.every.wanted()
                     ? ", since no checkpoint is complete yet"
                     : ", since the scenario has no checkpoints");
}

// Work since the checkpoint, or since the attempt's beginning from it, is repeated.
void Restarts::count_lost() {
  attempt_.restarts = restarts_;
  attempt_.restarts.lost_steps += steps_ - (from_ ? from_->reported() : 0);
  const Instant since = from_ ? std::max(began_, from_->manifest.time) : began_;
  attempt_.restarts.lost += ended_ - since;
}

void Restarts::end(const Record& record, const supervision::EndAttempt& end, bool trained,
                   const RunRows& rows) {
  trained_ = trained_ || trained;
  unread_.reset();
  went_back_ = end.older;
  if (went_back_) {
    if (from_) unread_ = Unread{from_->folder, from_->manifest.cut};
    return stderr_note(fmt::format("checkpoint skipped: {}\n", record.failure));
  }
  waits_ = end.waits;
  failure_ = record.failure;
  steps_ = rows.steps() + (from_ ? from_->reported() : 0);
  began_ = attempt_.time;
  ended_ = record.ended;
  restarts_ = record.restarts;
  ++restarts_.count;
  keep_away(record);
}

void Restarts::keep_away(const Record& record) {
  attempt_.away.clear();
  for (const NodeTotals& node : record.nodes) attempt_.away.push_back(node.away);
}

}  // namespace foretrain::exec
