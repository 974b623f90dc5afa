#include "sim/driver/replay.h"

#include "models/networks/registry.h"
#include "models/protocol/registry.h"
#include "reports/record/collector.h"
#include "reports/record/interruption.h"
#include "scenarios/language/input_error.h"
#include "scenarios/resolve/prepared.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace foretrain::sim {
namespace {

class Replay {
 public:
  Replay(const Record& recorded, std::shared_ptr<const Training> training)
      : training_(std::move(training)),
        nodes_(static_cast<std::size_t>(training_->nodes())),
        whole_(recorded.outcome == Outcome::done),
        resumed_(recorded.resumed) {
    record_.mode = Mode::simulate;
    record_.scenario_case = recorded.scenario_case;
    record_.machine = recorded.machine;
    record_.kernel_set = kernel_set();
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      nodes_[i].program = make_node(training_, NodeId(static_cast<int>(i)));
    }
    for (const InputRow& row : recorded.inputs) {
      if (row.node < nodes_.size()) nodes_[row.node].rows.push_back(row);
    }
  }

  Record run() {
    for (const std::int64_t cut : resumed_) {
      next_cut_ = cut;
      if (!states_.contains(cut)) feed_all();
      go_on_from(cut);
    }
    next_cut_.reset();
    feed_all();
    for (std::size_t i = 0; i < nodes_.size(); ++i) check_done(i);
    if (!whole_) interrupt();
    sort_rows(record_);
    return std::move(record_);
  }

 private:
  struct ReplayedNode {
    std::unique_ptr<Node> program;
    std::deque<InputRow> rows;                              // not fed yet
    std::map<std::uint32_t, std::deque<Message>> messages;  // in transit, by sender
    // Results of completed jobs. States of two cuts may be written at the same time, under one job
    // number.
    std::map<std::uint64_t, std::deque<JobResult>> results;
    NodeTotals totals;
    bool started = false;
    bool kept = false;  // its state of the next cut: later work was lost
    bool finished = false;
  };

  void feed_all() {
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t i = 0; i < nodes_.size(); ++i) {
        while (feed_next(i)) moved = true;
      }
    }
  }

  // Restarts every node from its state at the cut; all else is discarded.
  void go_on_from(std::int64_t cut) {
    const auto states = states_.find(cut);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (states == states_.end() || !states->second.contains(i)) {
        throw InputError(fmt::format(
            "inputs.bin: this run continued from the checkpoint of step {}, which the inputs of {} "
            "do not reach; the record is incomplete",
            cut, role(i)));
      }
      ReplayedNode& member = nodes_[i];
      const auto begins = [](const InputRow& row) { return row.kind == InputRow::Kind::started; };
      // The start that was fed is already removed, unless nothing was fed.
      const auto from = member.rows.begin() + (member.started || member.rows.empty() ? 0 : 1);
      member.rows.erase(member.rows.begin(), std::find_if(from, member.rows.end(), begins));
      member.program = make_node(training_, NodeId(static_cast<int>(i)));
      StateReader state(states->second.at(i));
      member.program->restore(state);
      member.messages.clear();
      member.results.clear();
      member.started = member.kept = member.finished = false;
    }
  }

  [[nodiscard]] std::string role(std::size_t i) const {
    return training_->role(NodeId(static_cast<int>(i)));
  }

  // The input of the row, if it exists already.
  std::optional<Input> input_of(ReplayedNode& member, const InputRow& row) {
    switch (row.kind) {
      case InputRow::Kind::started:
        return Started{};
      case InputRow::Kind::timer:
        return TimerFired{TimerId{row.id}};
      case InputRow::Kind::lost:
        return PeerLost{NodeId(static_cast<int>(row.peer))};
      case InputRow::Kind::back:
        return PeerBack{NodeId(static_cast<int>(row.peer)), static_cast<std::int64_t>(row.id)};
      case InputRow::Kind::computed: {
        const auto found = member.results.find(row.id);
        if (found == member.results.end() || found->second.empty()) return std::nullopt;
        const JobResult result = found->second.front();
        found->second.pop_front();
        return Computed{JobId{row.id}, result, row.took};
      }
      case InputRow::Kind::received: {
        auto& messages = member.messages[row.peer];
        // A lower bucket may have overtaken others.
        const auto next = std::ranges::find(messages, row.bucket, &Message::bucket);
        if (next == messages.end()) return std::nullopt;
        Received received{NodeId(static_cast<int>(row.peer)), std::move(*next)};
        messages.erase(next);
        return received;
      }
    }
    return std::nullopt;
  }

  // A message sent after the sender's state of the next cut is not part of that cut: its sender
  // will send it again. The run may have delivered it before the receiver's state was saved; that
  // state does not contain it.
  bool pass_over(ReplayedNode& member, const InputRow& row) const {
    if (row.kind != InputRow::Kind::received || row.peer >= nodes_.size()) return false;
    if (!nodes_[row.peer].kept) return false;
    member.rows.pop_front();
    return true;
  }

  bool feed_next(std::size_t i) {
    Interruption::check();
    ReplayedNode& member = nodes_[i];
    if (member.rows.empty() || member.kept) return false;
    const InputRow row = member.rows.front();
    const bool starts = row.kind == InputRow::Kind::started;
    if (starts && member.started && next_cut_) return false;  // the next attempt
    if (starts == std::exchange(member.started, true)) {
      throw InputError(fmt::format(
          "inputs.bin: the start of {} is not the first of its inputs; the record is incomplete",
          role(i)));
    }
    std::optional<Input> input = input_of(member, row);
    if (!input) return pass_over(member, row);
    if (!matches(row, *input)) {
      throw InputError(fmt::format(
          "inputs.bin: {} was sent something else than recorded at {:.6f} s; the record is of "
          "another scenario or of another version of this program",
          role(i), row.time.seconds()));
    }
    member.rows.pop_front();
    if (const auto* received = std::get_if<Received>(&*input)) {
      member.totals.rx += wire_size(received->message);
    }
    Effects effects;
    member.program->handle(row.time, std::move(*input), effects);
    for (Effect& effect : effects) perform(i, effect);
    return true;
  }

  void perform(std::size_t i, Effect& effect) {
    ReplayedNode& member = nodes_[i];
    if (auto* send = std::get_if<Send>(&effect)) {
      member.totals.tx += wire_size(send->message);
      ++member.totals.messages_sent;
      nodes_[index_of(send->to)].messages[static_cast<std::uint32_t>(i)].push_back(
          std::move(send->message));
    } else if (auto* compute = std::get_if<Compute>(&effect)) {
      Serial serial;
      Job& job = compute->job;
      member.results[static_cast<std::uint64_t>(job.id)].push_back(job.work ? job.work(serial)
                                                                            : JobResult{});
      if (job.prefetch) job.prefetch();
    } else if (auto* keep = std::get_if<SaveState>(&effect)) {
      member.results[static_cast<std::uint64_t>(keep->job)].emplace_back();  // done at its time
      if (std::ranges::find(resumed_, keep->cut) != resumed_.end()) {
        states_[keep->cut][i] = keep->state();
      }
      member.kept = next_cut_ == keep->cut;
    } else if (auto* report = std::get_if<Report>(&effect)) {
      add_report(record_, static_cast<int>(i), *report);
    } else if (auto* finished = std::get_if<Finished>(&effect)) {
      member.finished = true;
      add_end(record_, end_of(*finished));
    } else if (auto* fault = std::get_if<Fault>(&effect)) {
      record_.outcome = Outcome::failed;
      record_.failure = fmt::format("{}: {}", role(i), fault->why);
    }
  }

  // The recorded training did not end by itself, nor does this one. Failures that nodes report
  // because others ended are dropped.
  void interrupt() {
    record_.outcome = Outcome::interrupted;
    record_.failure = "the recorded inputs end here: their training did not finish";
    RowTally tally;
    tally.add(record_);
    tally.fill_in(record_);
  }

  void check_done(std::size_t i) {
    ReplayedNode& member = nodes_[i];
    if (whole_ && record_.outcome == Outcome::done && !member.rows.empty()) {
      throw InputError(fmt::format(
          "inputs.bin: {} waits for a message that nobody sends, with {} of its inputs left; the "
          "record is incomplete or of another scenario",
          role(i), member.rows.size()));
    }
    if (whole_ && record_.outcome == Outcome::done && !member.finished) {
      throw InputError(fmt::format(
          "inputs.bin: the inputs of {} end before its training; the record is incomplete",
          role(i)));
    }
    member.totals.role = role(i);
    member.totals.rss.reset();
    record_.nodes.push_back(member.totals);
  }

  std::shared_ptr<const Training> training_;
  std::vector<ReplayedNode> nodes_;
  bool whole_;                         // the recorded training was done
  std::vector<std::int64_t> resumed_;  // cuts from which it resumed
  std::optional<std::int64_t> next_cut_;
  std::map<std::int64_t, std::map<std::size_t, std::string>> states_;  // by cut, node
  Record record_;
};

}  // namespace

Record replay(const Record& recorded) {
  if (recorded.inputs.empty()) {
    throw InputError("the record has no inputs.bin, so there is no order to replay");
  }
  const auto begun = std::ranges::count_if(recorded.inputs, [](const InputRow& row) {
    return row.kind == InputRow::Kind::started && row.node == 0;
  });
  if (begun == 0) {
    throw InputError("inputs.bin: the start of worker0 is missing; the record is incomplete");
  }
  if (begun <= std::ssize(recorded.resumed)) {
    throw InputError(fmt::format(
        "inputs.bin: this run continued from the checkpoint of step {}, and earlier inputs are "
        "missing; only a run whose record has all inputs can be replayed",
        recorded.resumed[recorded.resumed.size() - static_cast<std::size_t>(begun)]));
  }
  for (const NodeTotals& node : recorded.nodes) {
    if (!node.lost.empty() || !node.away.empty()) {
      throw InputError(fmt::format(
          "{} was lost in this run with its last inputs, so their order is not known; only a run "
          "that lost no node can be replayed",
          node.role));
    }
  }
  return Replay(recorded, prepare(recorded.scenario_case, Need::examples).training).run();
}

bool has_job_times(const Record& recorded) {
  return std::ranges::any_of(recorded.inputs, [](const InputRow& row) { return row.took.ns > 0; });
}

Case case_of_times(const Case& scenario_case, DataSets& data_sets) {
  Case result = scenario_case;
  const Scenario& scenario = scenario_case.scenario;
  const bool sparse = prepare(scenario_case, Need::shape, data_sets).training->sparse();
  result.scenario.numerics = sparse || scenario.training.until.wanted();
  return result;
}

}  // namespace foretrain::sim
