#include "exec/metrics/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <string_view>

namespace foretrain::exec {
namespace {

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '\\' || c == '"') safe += '\\';
    safe += c == '\n' ? ' ' : c;
  }
  return safe;
}

std::string label(std::string_view name, std::string_view value) {
  return fmt::format("{}=\"{}\"", name, escaped(value));
}

std::string sample_value(double value) {
  if (std::isnan(value)) return "NaN";
  return fmt::format("{}", value);
}

void add_to(Bytes& all, Bytes more) { all.value = saturated::sum(all.value, more.value); }

/// Adds a figure to its total if it is measured at all.
void count(Bytes& all, Bytes more) {
  if (more.value < 0) return;
  all = std::max(all, Bytes{});
  add_to(all, more);
}

}  // namespace

void Metrics::follow(const Record& record, std::int64_t planned) {
  if (!begun_) {
    begun_ = true;
    case_ = title_of(record.scenario_case);
    scenario_ = record.scenario_case.scenario.name;
    strategy_ = record.scenario_case.scenario.training.strategy;
    machine_ = record.machine;
    examples_a_gradient_ = record.scenario_case.scenario.training.examples_a_gradient();
    nodes_.resize(record.nodes.size());
  }
  planned_ = planned;
  startup_ = record.startup;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    nodes_[i].role = record.nodes[i].role;
    nodes_[i].lost = !record.nodes[i].lost.empty();
  }
  for (const StepRow& row : record.steps) add(row);
  for (const UsageRow& row : record.usage) add(row);
  evals_ = record.evals;
}

void Metrics::add(const StepRow& row) {
  NodeFigures& node = nodes_[static_cast<std::size_t>(row.worker)];
  const StepReport& step = row.report;
  const Duration took = length_of(step.phases) - step.phases.evaluate;
  const auto* bucket = std::ranges::lower_bound(kStepTime, took.seconds());
  ++node.step_time[static_cast<std::size_t>(bucket - kStepTime.begin())];
  node.step_time_sum += took;
  ++node.steps;
  node.phases += step.phases;
  node.staleness = saturated::sum(node.staleness, step.staleness);
  node.loss = step.loss;
  latest_ = std::max(latest_, step.start + length_of(step.phases));
}

void Metrics::add(const UsageRow& row) {
  NodeFigures& node = nodes_[static_cast<std::size_t>(row.node)];
  node.cpu_user_s += row.cpu_user_s;
  node.cpu_system_s += row.cpu_system_s;
  node.rss = row.rss;
  add_to(node.tx, row.tx);
  add_to(node.rx, row.rx);
  count(node.nic_tx, row.nic_tx);
  count(node.nic_rx, row.nic_rx);
  latest_ = std::max(latest_, row.time);
}

/// Writes metric families: a line of help, one of type, the samples.
class Exposition {
 public:
  explicit Exposition(const Metrics& metrics)
      : metrics_(metrics), case_(label("case", metrics.case_)) {}

  std::string text() {
    run();
    evaluations();
    workers();
    step_time();
    nodes();
    return fmt::to_string(out_);
  }

 private:
  using Node = Metrics::NodeFigures;
  enum class Who { all, workers };

  void family(std::string_view name, std::string_view type, std::string_view help) {
    name_ = name;
    fmt::format_to(std::back_inserter(out_), "# HELP foretrain_{} {}\n# TYPE foretrain_{} {}\n",
                   name, help, name, type);
  }
  void sample(std::string_view suffix, const std::string& labels, const std::string& value) {
    fmt::format_to(std::back_inserter(out_), "foretrain_{}{}{{{}{}{}}} {}\n", name_, suffix, case_,
                   labels.empty() ? "" : ",", labels, value);
  }
  void single(std::string_view name, std::string_view type, std::string_view help,
              const std::string& value) {
    family(name, type, help);
    sample("", {}, value);
  }
  static bool worker(const Node& node) { return node.role.starts_with("worker"); }

  /// A sample of each node, except those for which `value` is empty.
  void each(Who who, std::string_view name, std::string_view type, std::string_view help,
            const std::function<std::string(const Node&)>& value) {
    family(name, type, help);
    for (const Node& node : metrics_.nodes_) {
      const std::string figure = who == Who::all || worker(node) ? value(node) : "";
      if (!figure.empty()) sample("", label("node", node.role), figure);
    }
  }

  void run() {
    family("info", "gauge", "What is trained.");
    sample("",
           fmt::format("{},{},{}", label("scenario", metrics_.scenario_),
                       label("strategy", metrics_.strategy_), label("machine", metrics_.machine_)),
           "1");
    single("startup_seconds", "gauge", "Time from the launch until every node was ready.",
           sample_value(metrics_.startup_.seconds()));
    single("training_seconds", "gauge", "Time since every node was ready, at the latest report.",
           sample_value(metrics_.latest_.seconds()));
    single("steps_planned", "gauge", "Steps of all workers if nothing ends them earlier.",
           fmt::format("{}", metrics_.planned_));
    std::int64_t gradients = 0;
    for (const Node& node : metrics_.nodes_) gradients += node.steps;
    single("gradients_total", "counter", "Gradients of all workers, one a step.",
           fmt::format("{}", gradients));
    single("examples_total", "counter", "Training examples of all gradients.",
           fmt::format("{}", gradients * metrics_.examples_a_gradient_));
  }

  void evaluations() {
    single("evaluations_total", "counter", "Evaluations by the chief.",
           fmt::format("{}", metrics_.evals_.size()));
    if (metrics_.evals_.empty()) return;
    const EvalReport& latest = metrics_.evals_.back();
    single("evaluated_updates", "gauge",
           "Number of updates in the parameters of the latest evaluation.",
           fmt::format("{}", latest.version.value));
    single("test_loss", "gauge", "Loss over the test examples at the latest evaluation, nats.",
           sample_value(latest.loss));
    single("test_accuracy", "gauge", "Share of correct test examples at the latest evaluation.",
           sample_value(latest.accuracy));
    if (!std::isnan(latest.auc)) {
      single("test_auc", "gauge", "Area under the ROC curve at the latest evaluation.",
             sample_value(latest.auc));
    }
  }

  void workers() {
    each(Who::workers, "steps_total", "counter", "Steps of a worker.",
         [](const Node& n) { return fmt::format("{}", n.steps); });
    each(Who::workers, "loss", "gauge", "Loss of a worker's latest batch, nats.",
         [](const Node& n) { return n.steps > 0 ? sample_value(n.loss) : ""; });
    each(Who::workers, "staleness_updates_total", "counter",
         "Staleness of all gradients, added up, in updates; divided by steps it is the mean "
         "staleness.",
         [](const Node& n) { return fmt::format("{}", n.staleness); });
    family("phase_seconds_total", "counter", "Exposed time of the six phases of a worker's steps.");
    for (const Node& node : metrics_.nodes_) {
      if (!worker(node)) continue;
      for (const auto& [name, of] : kPhases<Duration>) {
        sample("", label("node", node.role) + "," + label("phase", name),
               sample_value((node.phases.*of).seconds()));
      }
    }
  }

  void step_time() {
    family("step_time_seconds", "histogram", "Time of a worker's steps, evaluation left out.");
    for (const Node& node : metrics_.nodes_) {
      if (!worker(node)) continue;
      const std::string who = label("node", node.role);
      std::int64_t below = 0;
      for (std::size_t i = 0; i < Metrics::kStepTime.size(); ++i) {
        below += node.step_time[i];
        sample("_bucket", who + "," + label("le", sample_value(Metrics::kStepTime[i])),
               fmt::format("{}", below));
      }
      sample("_bucket", who + "," + label("le", "+Inf"), fmt::format("{}", node.steps));
      sample("_sum", who, sample_value(node.step_time_sum.seconds()));
      sample("_count", who, fmt::format("{}", node.steps));
    }
  }

  void nodes() {
    const auto bytes = [](Bytes figure) {
      return figure.value < 0 ? "" : fmt::format("{}", figure.value);
    };
    each(Who::all, "node_up", "gauge",
         "1 while the node takes part, 0 while the others continue without it.",
         [](const Node& n) { return n.lost ? "0" : "1"; });
    each(Who::all, "sent_bytes_total", "counter", "Bytes of messages that a node sent.",
         [&](const Node& n) { return bytes(n.tx); });
    each(Who::all, "received_bytes_total", "counter", "Bytes of messages that a node received.",
         [&](const Node& n) { return bytes(n.rx); });
    each(Who::all, "interface_sent_bytes_total", "counter",
         "Bytes that the interface of an emulated host sent, framing included.",
         [&](const Node& n) { return bytes(n.nic_tx); });
    each(Who::all, "interface_received_bytes_total", "counter",
         "Bytes that the interface of an emulated host received, framing included.",
         [&](const Node& n) { return bytes(n.nic_rx); });
    each(Who::all, "resident_memory_bytes", "gauge", "Resident memory of a node's process.",
         [&](const Node& n) { return bytes(n.rss); });
    family("cpu_seconds_total", "counter", "CPU time of a node's process since it was ready.");
    for (const Node& node : metrics_.nodes_) {
      const std::string who = label("node", node.role);
      sample("", who + "," + label("mode", "user"), sample_value(node.cpu_user_s));
      sample("", who + "," + label("mode", "system"), sample_value(node.cpu_system_s));
    }
  }

  const Metrics& metrics_;
  std::string case_;
  std::string_view name_;
  fmt::memory_buffer out_;
};

std::string Metrics::text() const { return begun_ ? Exposition(*this).text() : ""; }

}  // namespace foretrain::exec
