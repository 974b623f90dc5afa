// Equality of records; names of their parts.
#include "reports/record/record.h"

#include "scenarios/resolve/read.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace foretrain {
namespace {

/// A double whose NaN equals NaN.
struct Figure64 {
  double value;
  friend bool operator==(Figure64 a, Figure64 b) {
    return a.value == b.value || (std::isnan(a.value) && std::isnan(b.value));
  }
};

/// Maps all negative values, which mean not known, to -1.
Bytes known_bytes(Bytes bytes) { return std::max(bytes, Bytes{-1}); }

auto fields(const StepRow& row) {
  const StepReport& r = row.report;
  return std::tuple(row.worker, r.step, r.start, r.phases, r.staleness, Figure64{r.loss});
}

auto fields(const EvalReport& e) {
  return std::tuple(e.step, e.version, e.time, e.took, Figure64{e.loss}, Figure64{e.accuracy},
                    Figure64{e.auc}, e.final);
}

auto fields(const UsageRow& u) {
  return std::tuple(u.time, u.node, Figure64{u.cpu_user_s}, Figure64{u.cpu_system_s},
                    known_bytes(u.rss), u.tx, u.rx, known_bytes(u.nic_tx), known_bytes(u.nic_rx));
}

auto fields(const NodeTotals& n) {
  return std::tuple(n.role, n.host, n.core, Figure64{n.cpu_s}, n.rss, n.tx, n.rx, n.nic_tx,
                    n.nic_rx, n.messages_sent, n.undelivered, n.local, n.lost, n.away);
}

auto fields(const Setting& setting) { return std::tie(setting.key, setting.value); }

auto fields(const Record& r) {
  return std::tie(r.mode, r.outcome, r.failure, r.machine, r.uncalibrated, r.simulated, r.counted,
                  r.kernel_set, r.congestion_control, r.time, r.startup, r.updates, r.gradients,
                  r.dropped, r.most_lead, r.refused, r.weights_sha256, r.others_used,
                  r.disk_assumed);
}

auto fields(const StepTotals& t) {
  return std::tuple(t.steps, t.sum, t.staleness, t.median, t.by_worker, Figure64{t.first_loss},
                    Figure64{t.last_loss});
}

bool same_totals(const std::optional<StepTotals>& a, const std::optional<StepTotals>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return fields(*a) == fields(*b);
}

template <class Row>
bool same_rows(const std::vector<Row>& a, const std::vector<Row>& b) {
  return std::ranges::equal(a, b,
                            [](const Row& x, const Row& y) { return fields(x) == fields(y); });
}

}  // namespace

bool operator==(const Record& a, const Record& b) {
  return fields(a) == fields(b) && a.basis == b.basis && a.calibrated == b.calibrated &&
         a.alone_s == b.alone_s && a.checkpoints == b.checkpoints && a.run == b.run &&
         a.resumed == b.resumed && a.restarts == b.restarts && a.ended == b.ended &&
         same_rows(a.nodes, b.nodes) && a.colocated_jobs == b.colocated_jobs &&
         same_totals(a.step_totals, b.step_totals) && same_rows(a.steps, b.steps) &&
         same_rows(a.evals, b.evals) && same_rows(a.usage, b.usage) &&
         same_rows(a.scenario_case.settings, b.scenario_case.settings) &&
         to_yaml(a.scenario_case.scenario) == to_yaml(b.scenario_case.scenario);
}

std::string title_of(const Case& scenario_case) {
  std::string title = scenario_case.scenario.training.strategy;
  for (const Setting& setting : scenario_case.settings) {
    if (setting.key == "training.strategy") continue;
    title += ", " + setting.key.substr(setting.key.rfind('.') + 1) + "=" + setting.value;
  }
  return title;
}

std::string_view name_of(ComputeBasis::From from) {
  switch (from) {
    case ComputeBasis::From::calibrated:
      return "calibrated";
    case ComputeBasis::From::written:
      return "written";
    case ComputeBasis::From::described:
      return "described";
    case ComputeBasis::From::given:
      return "given";
    case ComputeBasis::From::profile:
      return "profile";
    case ComputeBasis::From::fitted:
      return "fitted";
    case ComputeBasis::From::counted:
      break;
  }
  return "counted";
}

std::string_view name_of(Mode mode) { return mode == Mode::run ? "run" : "simulate"; }

std::string_view name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::done:
      return "done";
    case Outcome::failed:
      return "failed";
    case Outcome::interrupted:
      break;
  }
  return "interrupted";
}

}  // namespace foretrain
