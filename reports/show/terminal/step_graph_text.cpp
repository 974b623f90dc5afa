// The step graph of a training as a table.
#include "models/cost/work.h"
#include "models/graph/step_graph.h"
#include "models/graph/step_memory.h"
#include "models/protocol/registry.h"
#include "reports/record/wrapped_text.h"
#include "reports/show/terminal/tables.h"
#include "scenarios/resolve/prepared.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace foretrain {
namespace {

constexpr std::size_t kColumns = 7;
using Row = std::array<std::string, kColumns>;

/// Column titles. A profile has times in place of FLOPs.
Row titles(const Training& training) {
  return {"operation", "output", "parameters", training.network->profiled() ? "ms" : "MFLOP",
          "read",      "write",  "buckets"};
}

/// `1,234.5`; empty for zero.
std::string number_text(double value, int decimals) {
  if (value == 0) return {};
  const double scale = std::pow(10, decimals);
  const auto scaled = static_cast<std::int64_t>(std::llround(value * scale));
  const auto unit = static_cast<std::int64_t>(scale);
  if (scaled == 0) return fmt::format("< {:.{}f}", 1 / scale, decimals);
  if (decimals == 0) return grouped(scaled);
  return fmt::format("{}.{:0{}}", grouped(scaled / unit), scaled % unit, decimals);
}

/// Decimals that show four digits of a column's sum; equal for all lines, so that points align.
int decimals_for(double sum) {
  if (sum >= 1000) return 1;
  return sum >= 100 ? 2 : 3;
}

std::string whole_number(std::int64_t value) { return value == 0 ? std::string() : grouped(value); }

std::string run_text(BucketRun run) {
  if (run.count == 0) return {};
  if (run.count == 1) return fmt::format("{}", run.first);
  return fmt::format("{}-{}", run.first, run.first + run.count - 1);
}

double mega(Flops flops) { return flops.value / 1e6; }
double mega(Bytes bytes) { return static_cast<double>(bytes.value) / 1e6; }
double milliseconds(Duration time) { return static_cast<double>(time.ns) / 1e6; }

/// Bytes of a profile's parameters, which it counts as floats.
Bytes parameter_bytes(std::int64_t parameters) { return {4 * parameters}; }

/// Formats the numbers of a line with the decimals of each column.
class Figures {
 public:
  Figures(const Training& training, const Cost& total)
      : profiled_(training.network->profiled()),
        work_(decimals_for(profiled_ ? milliseconds(total.measured) : mega(total.flops))),
        bytes_(decimals_for(mega(std::max(total.read.total(), total.written.total())))),
        parameters_(decimals_for(mega(parameter_bytes(training.network->parameters())))) {}

  [[nodiscard]] Row row(const Operation& operation) const {
    const Cost& cost = operation.cost;
    return {operation.every == 1
                ? operation.name
                : fmt::format("{}, every {} steps", operation.name, operation.every),
            operation.output ? to_string(*operation.output) : "",
            profiled_ ? number_text(mega(parameter_bytes(operation.parameters)), parameters_)
                      : whole_number(operation.parameters),
            number_text(profiled_ ? milliseconds(cost.measured) : mega(cost.flops), work_),
            number_text(mega(cost.read.total()), bytes_),
            number_text(mega(cost.written.total()), bytes_),
            run_text(operation.buckets)};
  }

 private:
  bool profiled_;
  int work_;
  int bytes_;
  int parameters_;
};

/// Lays out the rows. A name that is too long for the terminal gets a line above its numbers.
std::string lay_out(const std::vector<Row>& rows) {
  std::array<std::size_t, kColumns> widths{};
  for (const Row& row : rows) {
    for (std::size_t c = 0; c < kColumns; ++c) widths[c] = std::max(widths[c], columns_of(row[c]));
  }
  std::size_t figures = 2;
  for (std::size_t c = 1; c < kColumns; ++c) figures += 2 + widths[c];
  const std::size_t room =
      std::max(columns_of(rows.front()[0]), text_columns() - std::min(text_columns(), figures));
  widths[0] = std::min(widths[0], room);
  std::string text;
  for (const Row& row : rows) {
    const bool apart = columns_of(row[0]) > room;
    if (apart) text += fmt::format("  {}\n", row[0]);
    std::string line = "  " + left(apart ? "" : row[0], widths[0]);
    for (std::size_t c = 1; c < kColumns; ++c) line += "  " + right(row[c], widths[c]);
    text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  return text;
}

std::string graph_sentence(std::string_view model, const Training& training) {
  const Network& network = *training.network;
  const std::size_t buckets = training.layout->buckets.size();
  const Cost cost = gradient_cost(network, training.batch_size);
  const std::string work = network.profiled()
                               ? fmt::format("took {} ms", figure(milliseconds(cost.measured)))
                               : fmt::format("takes {} MFLOP", figure(mega(cost.flops)));
  const std::string batches =
      training.accumulate > 1 ? fmt::format(", {} batches per step", grouped(training.accumulate))
                              : "";
  const std::string what =
      network.profiled()
          ? fmt::format("{} MB of parameters", figure(mega(parameter_bytes(network.parameters()))))
          : fmt::format("{} parameters", grouped(network.parameters()));
  std::string text = fmt::format("{}: a gradient over {} examples {}{}; its {} ", model,
                                 training.batch_size, work, batches, what);
  const std::int64_t averaged = training.protocol->steps_an_averaging(training.options);
  if (training.nodes() == 1) {
    text += "are not sent.";
  } else {
    text += fmt::format("travel in {} {}{}.", grouped(static_cast<std::int64_t>(buckets)),
                        buckets == 1 ? "bucket" : "buckets",
                        averaged > 1 ? fmt::format(", every {} steps", averaged) : "");
  }
  return wrap(text);
}

/// The parts of the bytes that are read and written.
std::string traffic_text(const Cost& total) {
  const Traffic all = total.read + total.written;
  std::string parts;
  for (const auto& [what, size] : {std::pair{"activations", all.activations},
                                   {"parameters", all.parameters},
                                   {"gradients", all.gradients},
                                   {"optimizer state", all.state},
                                   {"batch", all.batch},
                                   {"messages", all.messages}}) {
    if (size.value == 0) continue;
    parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", what,
                         number_text(mega(size), decimals_for(mega(all.total()))));
  }
  return parts.empty() ? "" : wrap(fmt::format("Read and written in a step: {} MB.", parts));
}

std::string memory_text(const Training& training) {
  const StepMemory m = step_memory(training);
  const int decimals = decimals_for(mega(m.counted()));
  const auto mb = [&](Bytes bytes) {
    return bytes.value == 0 ? "0" : number_text(mega(bytes), decimals);
  };
  if (training.network->profiled()) {
    return wrap(fmt::format(
        "Memory of a worker: {} MB = parameters {} + gradients {} + optimizer state {}{}, and "
        "activations, which are not in a profile.",
        mb(m.counted()), mb(m.parameters), mb(m.gradients), mb(m.optimizer_state),
        training.servers == 0 ? "" : " (at the servers)"));
  }
  return wrap(fmt::format(
      "Memory of a worker: {} MB = parameters {} + gradients {} + optimizer state {}{} + "
      "activations "
      "{} (outputs {}, their gradients {}, saved {}); in addition scratch {}, batch {}.",
      mb(m.counted()), mb(m.parameters), mb(m.gradients), mb(m.optimizer_state),
      training.servers == 0 ? "" : " (at the servers)", mb(m.activations()), mb(m.outputs),
      mb(m.output_gradients), mb(m.saved), mb(m.scratch), mb(m.batch)));
}

}  // namespace

std::string step_table(std::string_view model, const Training& training) {
  const StepGraph graph = make_step_graph(training, BucketDetail::runs);
  const Cost total = totals(graph);
  const Figures figures(training, total);
  std::vector<Row> rows{
      titles(training),
      {"", "", training.network->profiled() ? "[MB]" : "", "", "[MB]", "[MB]", ""}};
  rows.reserve(boost::num_vertices(graph) + 3);
  for (std::size_t v = 0; v < boost::num_vertices(graph); ++v)
    rows.push_back(figures.row(graph[v]));
  Operation sum{.name = "sum"};
  sum.parameters = training.network->parameters();
  sum.cost = totals_of_every_step(graph);
  rows.push_back(figures.row(sum));
  const auto [first, last] = boost::vertices(graph);
  const auto rare = std::find_if(first, last, [&](auto v) { return graph[v].every > 1; });
  if (rare != last) {
    sum.name = fmt::format("sum, every {} steps", graph[*rare].every);
    sum.cost = total;
    rows.push_back(figures.row(sum));
  }
  return graph_sentence(model, training) + "\n" + lay_out(rows) + "\n" + traffic_text(total) +
         memory_text(training);
}

std::string step_text(const Case& scenario_case, DataSets& data_sets) {
  const auto training = prepare(scenario_case, Need::shape, data_sets).training;
  return step_table(scenario_case.scenario.model.label(), *training);
}

}  // namespace foretrain
