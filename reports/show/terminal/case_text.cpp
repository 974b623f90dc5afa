#include "reports/show/terminal/case_text.h"

#include "reports/record/wrapped_text.h"
#include "scenarios/resolve/placement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace foretrain {

std::string case_sentence(const Case& scenario_case) {
  const Scenario& s = scenario_case.scenario;
  const TrainingSpec& t = s.training;
  std::string text = s.name;
  if (!scenario_case.settings.empty()) text += ", " + scenario_case.label();
  text += ": " + s.model.label();
  if (!s.model.profiled()) text += " on " + s.dataset.format;
  const NodeCounts counts = node_counts(s);
  text += fmt::format(", {}, {}", t.strategy, counted(counts.workers, "worker"));
  if (counts.servers > 0) text += ", " + counted(counts.servers, "server");
  text += fmt::format(", batches of {}", grouped(t.batch_size));
  if (t.accumulate > 1) text += fmt::format(", {} batches a gradient", grouped(t.accumulate));
  if (t.steps > 0) text += ", " + counted(t.steps, "step");
  if (t.updates > 0) text += ", " + counted(t.updates, "update");
  if (t.epochs > 0) text += fmt::format(", {} epochs", t.epochs);
  return text + ".";
}

std::string as_comment(std::string_view sentence, std::string_view mark) {
  std::string text;
  std::string rest = wrap(sentence, text_columns() - mark.size());
  for (std::size_t at = 0; at < rest.size();) {
    const std::size_t end = rest.find('\n', at);
    text += fmt::format("{}{}\n", mark, rest.substr(at, end - at));
    at = end + 1;
  }
  return text;
}

std::string machine_sentence(const Machine& machine) {
  std::vector<std::string> models;
  models.reserve(machine.models.size());
  for (const auto& [name, cost] : machine.models) {
    constexpr int kBatch = 64;
    models.push_back(
        fmt::format("{} {} ms", name, figure(cost.gradient_of(kBatch).seconds() * 1e3)));
  }
  std::string text = fmt::format("A gradient of 64 examples takes: {}", fmt::join(models, ", "));
  if (models.empty()) text = "No model was measured";
  const double message_us =
      (machine.loopback.send.overhead_s + machine.loopback.receive.overhead_s) * 1e6;
  if (message_us > 0) text += fmt::format("; a message costs {} us of CPU", figure(message_us));
  const auto worst = std::ranges::max_element(machine.measurements, {}, &Measurement::spread);
  if (worst != machine.measurements.end()) {
    text += fmt::format("; least certain: {}, ± {:.1f} %", worst->figure, 100 * worst->spread);
  }
  return text + ".";
}

}  // namespace foretrain
