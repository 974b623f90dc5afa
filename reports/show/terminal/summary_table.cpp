// The sentence first, since most readers stop after it.
#include "reports/record/caveats.h"
#include "reports/record/source.h"
#include "reports/record/summary.h"
#include "reports/record/text.h"
#include "reports/show/terminal/case_text.h"
#include "reports/show/terminal/tables.h"
#include "reports/studies/ledger/ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace foretrain {
namespace {

std::string quantity(std::optional<double> value, std::string_view unit) {
  return value ? fmt::format("{} {}", figure(value), unit) : "-";
}

std::string how_many(std::int64_t value, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", grouped(value), value == 1 ? one : many);
}

/// What became of the target, where there is one.
std::string target_reached(const Target& target, const Summary& s) {
  if (!target.wanted()) return {};
  const std::string what = target_text(target);
  if (passed_unseen(target, s)) {
    return fmt::format("; {} passed unseen between evaluations; lower training.evaluate_every",
                       what);
  }
  if (!s.time_to_target_s) return fmt::format("; {} not reached", what);
  return fmt::format("; {} reached after {} s", what, figure(s.time_to_target_s));
}

/// `; a step is 69 % compute, 20 % network`: what takes most of it, what comes next.
std::string largest_phases(const Summary& s) {
  struct Share {
    const char* name;
    double time_s;
  };
  const PhaseSeconds& p = s.phases;
  std::array shares{Share{"compute", p.compute}, Share{"network", p.push + p.pull},
                    Share{"waiting", p.wait}, Share{"applying", p.apply},
                    Share{"evaluation", p.evaluate}};
  double all_s = 0;
  for (const Share& share : shares) all_s += share.time_s;
  if (all_s <= 0) return {};
  std::ranges::stable_sort(shares, std::greater{}, &Share::time_s);
  std::string text =
      fmt::format("; a step is {:.0f} % {}", 100 * shares[0].time_s / all_s, shares[0].name);
  const double second = 100 * shares[1].time_s / all_s;
  if (second >= 0.5) text += fmt::format(", {:.0f} % {}", second, shares[1].name);
  return text;
}

std::string outcome_sentence(const Record& record, const Summary& s) {
  const std::string what = fmt::format("{} {}", title_of(record.scenario_case),
                                       record.mode == Mode::simulate ? "simulated" : "run");
  if (record.outcome == Outcome::failed) {
    return fmt::format("{} failed after {}: {}", what, how_many(s.steps, "step", "steps"),
                       record.failure);
  }
  if (record.outcome == Outcome::interrupted) {
    return fmt::format("{} was interrupted after {}.", what, how_many(s.steps, "step", "steps"));
  }
  std::string text = fmt::format("{}: {} in {} s", what,
                                 how_many(s.gradients, "gradient", "gradients"), figure(s.time_s));
  if (s.gradients_per_s) text += fmt::format(", {} a second", figure(s.gradients_per_s));
  text += target_reached(record.scenario_case.scenario.training.until, s);
  if (s.test_accuracy) text += fmt::format("; test accuracy {:.4f}", *s.test_accuracy);
  if (s.test_auc) text += fmt::format("; AUC {:.4f}", *s.test_auc);
  return text + largest_phases(s) + ".";
}

std::string line(std::string_view name, std::string_view value) {
  constexpr std::size_t kNameColumns = 16;
  const std::size_t columns = std::min(columns_of(value), text_columns() - kNameColumns - 2);
  return fmt::format("  {}{}\n", left(name, kNameColumns), left(value, columns));
}

std::string phases_line(const Summary& s) {
  const double total_s = length_of(s.phases);
  if (total_s <= 0) return "-";
  std::vector<std::string> parts;
  parts.reserve(kPhases<double>.size());
  for (const auto& [name, of] : kPhases<double>) {
    parts.push_back(fmt::format("{} {:.0f}", name, 100 * (s.phases.*of) / total_s));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

constexpr std::array kNodeColumns{10, 16, -5, -8, -12, -13, -13};

/// `worker` of `worker12`.
std::string_view kind_of(std::string_view role) {
  return role.substr(0, role.find_last_not_of("0123456789") + 1);
}

/// The nodes that have a line, in their order: of few all, of many the first ones of each kind.
std::vector<std::size_t> shown_nodes(const std::vector<NodeTotals>& nodes, NodeLines lines) {
  std::vector<std::size_t> shown;
  const bool all = lines == NodeLines::all || nodes.size() <= kShownNodes;
  std::map<std::string_view, std::vector<std::size_t>> kinds;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (all) shown.push_back(i);
    std::vector<std::size_t>& first = kinds[kind_of(nodes[i].role)];
    if (first.size() < kShownNodes) first.push_back(i);
  }
  for (std::size_t turn = 0; shown.size() < std::min(kShownNodes, nodes.size()); ++turn) {
    for (const auto& [kind, of] : kinds) {
      if (turn < of.size() && shown.size() < kShownNodes) shown.push_back(of[turn]);
    }
  }
  std::ranges::sort(shown);
  return shown;
}

std::string nodes_table(const Record& record, NodeLines lines) {
  if (record.nodes.empty()) return {};
  std::string text = "\n" + table_line(kNodeColumns, {"node", "host", "core", "CPU [%]",
                                                      "memory [MB]", "sent [MB]", "got [MB]"});
  const auto megabytes = [](Bytes bytes) {
    return bytes.value < 0 ? "-" : fmt::format("{:.3f}", static_cast<double>(bytes.value) / 1e6);
  };
  const std::vector<std::size_t> shown = shown_nodes(record.nodes, lines);
  for (const std::size_t i : shown) {
    const NodeTotals& node = record.nodes[i];
    const auto percent = cpu_percent(record, node);
    text += table_line(kNodeColumns,
                       {node.role, node.host, node.core < 0 ? "-" : fmt::format("{}", node.core),
                        percent ? fmt::format("{:.1f}", *percent) : "-", megabytes(node.rss),
                        megabytes(node.tx), megabytes(node.rx)});
  }
  if (shown.size() < record.nodes.size()) {
    text += fmt::format("  {} more; --nodes has a line for each\n",
                        grouped(std::ssize(record.nodes) - std::ssize(shown)));
  }
  return text;
}

/// Lines of which there may be one a node: the first of them, or all.
class FewLines {
 public:
  explicit FewLines(NodeLines lines) : all_(lines == NodeLines::all) {}

  void add(std::string_view name, std::string_view value) {
    if (all_ || told_ < kShownNodes) {
      text_ += line(name, value);
      ++told_;
    } else {
      ++left_out_;
    }
  }
  [[nodiscard]] std::string text() const {
    if (left_out_ == 0) return text_;
    return text_ + line("", fmt::format("{} more; --nodes tells of each", grouped(left_out_)));
  }

 private:
  bool all_;
  std::size_t told_ = 0;
  std::int64_t left_out_ = 0;
  std::string text_;
};

/// What became of nodes, of neighbours.
std::string fates(const Record& record, NodeLines lines) {
  FewLines text(lines);
  for (const NodeTotals& node : record.nodes) {
    for (const Absence& each : node.away) {
      text.add("away", fmt::format("{}: from {:.3f} s to {:.3f} s; it {}", node.role,
                                   each.left.seconds(), each.back.seconds(), each.why));
    }
    if (!node.lost.empty()) text.add("lost", fmt::format("{}: {}", node.role, node.lost));
  }
  for (const NeighbourTotals& each : record.neighbours) {
    const std::string state =
        each.failure.empty() ? (each.done ? "done" : "still training") : "failed: " + each.failure;
    text.add("neighbour",
             fmt::format("{}: {}, {}", each.name, how_many(each.steps, "step", "steps"), state));
  }
  return text.text();
}

/// `9, 94.3 kB and 6.1 ms each, 2.9 % of the time`
std::string checkpoints_line(const Record& record) {
  const CheckpointTotals& all = record.checkpoints;
  const double time_s = all.time.seconds();
  std::string text = fmt::format(
      "{}, {} MB and {} ms each", grouped(all.count),
      figure(static_cast<double>(all.size.value) / 1e6 / static_cast<double>(all.count)),
      figure(1e3 * time_s / static_cast<double>(all.count)));
  if (record.time.ns > 0) {
    text += fmt::format(", {:.1f} % of the time", 100 * time_s / record.time.seconds());
  }
  return text;
}

/// `2; 340 steps lost, 1.2 s; down for 0.4 s`
std::string restarts_line(const RestartTotals& of) {
  return fmt::format("{}; {} lost, {} s; down for {} s", grouped(of.count),
                     how_many(of.lost_steps, "step", "steps"), figure(of.lost.seconds()),
                     figure(of.down.seconds()));
}

}  // namespace

std::string record_sentence(const Record& record) {
  return outcome_sentence(record, summarize(record));
}

std::string summary_table(const Record& record, std::string_view build, NodeLines lines) {
  const Summary s = summarize(record);
  std::string text = wrap(outcome_sentence(record, s)) + "\n";
  if (const std::string footing = stands_on(record); !footing.empty()) {
    text += wrap(footing) + "\n";
  }
  if (const std::string others = others_sentence(record); !others.empty()) {
    text += wrap(others) + "\n";
  }
  for (const std::string& caveat : caveats(record)) text += wrap("Note: " + caveat + ".") + "\n";
  text += line("step time", s.step_time_s_median
                                ? fmt::format("{} ms, the median of {} without evaluation",
                                              figure(*s.step_time_s_median * 1e3),
                                              how_many(s.steps, "step", "steps"))
                                : "-");
  text += line("updates",
               fmt::format("{}, {}", grouped(s.updates), quantity(s.updates_per_s, "a second")));
  text += line("examples", quantity(s.examples_per_s, "a second"));
  text += line("staleness", quantity(s.staleness_mean, "updates in the mean"));
  text += line("final loss", quantity(s.final_loss, "nats"));
  text += line("phases [%]", phases_line(s));
  text += line("bytes sent", grouped(s.bytes_sent.value));
  if (s.evaluate_s > 0) {
    text += line("evaluation", fmt::format("{} s of the time, {:.1f} %", figure(s.evaluate_s),
                                           100 * s.evaluate_s / s.time_s));
  }
  if (s.cost) {
    text += line("cost", fmt::format("{}, {} an hour", cost_text(s.cost, s.price.currency),
                                     cost_text(s.price.per_hour, s.price.currency)));
  }
  if (record.startup.ns > 0) text += line("start-up", quantity(s.startup_s, "s"));
  if (record.checkpoints.count > 0) text += line("checkpoints", checkpoints_line(record));
  for (const std::int64_t step : record.resumed) {
    text += line("resumed", fmt::format("from the checkpoint of step {}", grouped(step)));
  }
  if (record.restarts.count > 0) {
    text +=
        line(record.mode == Mode::run ? "restarts" : "failures", restarts_line(record.restarts));
  }
  if (record.most_lead > 0) {
    text += line("lead", how_many(record.most_lead, "gradient ahead of the slowest, at most",
                                  "gradients ahead of the slowest, at most"));
  }
  if (record.dropped > 0)
    text += line("dropped",
                 how_many(record.dropped, "gradient came too late", "gradients came too late"));
  if (record.refused > 0) {
    text += line("refused", how_many(record.refused, "stranger without the job key",
                                     "strangers without the job key"));
  }
  if (record.basis.empty() && !record.uncalibrated.empty()) {  // else it is said above
    text += line("uncalibrated",
                 fmt::format("compute is counted by FLOPs and bytes on {}", record.uncalibrated));
  }
  text += fates(record, lines);
  if (!record.weights_sha256.empty()) {
    text += line("weights", fmt::format("sha256 {} ({})", record.weights_sha256.substr(0, 16),
                                        record.kernel_set));
  }
  if (!build.empty()) text += line("written by", build);
  return text + nodes_table(record, lines);
}

}  // namespace foretrain
