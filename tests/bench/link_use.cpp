#include "tests/bench/link_use.h"

#include "exec/launch/run.h"
#include "scenarios/language/input_error.h"
#include "scenarios/resolve/read.h"
#include "tests/support/places.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace foretrain::bench {
namespace {

/// The time from a step's first finished gradient to the end of its slowest worker.
struct Exchange {
  Instant begin{std::numeric_limits<std::int64_t>::max()};
  Instant end;
};

std::vector<Exchange> exchanges(const Record& record) {
  std::map<std::int64_t, Exchange> by_step;
  for (const StepRow& row : record.steps) {
    const Phases& p = row.report.phases;
    Exchange& exchange = by_step[row.report.step.value];
    const Instant computed = row.report.start + p.compute;
    exchange.begin = std::min(exchange.begin, computed);
    exchange.end = std::max(exchange.end, computed + p.push + p.wait + p.apply + p.pull);
  }
  std::vector<Exchange> all;
  for (const auto& [step, exchange] : by_step) all.push_back(exchange);
  return all;
}

// Utilisation in each usage row of the last node, the server, that lies within an exchange.
std::vector<double> uses(const Record& record, double rate) {
  const std::vector<Exchange> all = exchanges(record);
  std::vector<double> found;
  Instant before;
  for (const UsageRow& row : record.usage) {
    if (row.node + 1 != static_cast<int>(record.nodes.size())) continue;
    const Instant begin = std::exchange(before, row.time);
    const bool inside = std::ranges::any_of(
        all, [&](const Exchange& e) { return e.begin <= begin && row.time <= e.end; });
    if (!inside) continue;
    const auto bytes = static_cast<double>(std::max(row.nic_tx, row.nic_rx).value);
    found.push_back(bytes / rate / (row.time - begin).seconds());
  }
  return found;
}

}  // namespace

void link_use(bool smoke, Report& report) {
  struct Rate {
    const char* name;
    const char* nic;
    double bytes_per_s;
    int steps;
  };
  for (const Rate& rate :
       {Rate{"1Gbps", "1 Gbps", 125e6, 30}, Rate{"100Mbps", "100 Mbps", 12.5e6, 4}}) {
    for (const int workers : {2, 3}) {
      const std::string text = fmt::format(
          "foretrain: 1\nname: link-use\nmodel: {}\ndataset: {{format: digits, take: 2000}}\n"
          "training: {{strategy: sync, workers: {}, batch_size: 64, steps: {}, overlap: off}}\n"
          "cluster: {{hosts: [{{name: node, count: {}, nic: {}}}]}}\n",
          smoke ? "softmax" : "lenet_large", workers, smoke ? 3 : rate.steps, workers + 1,
          rate.nic);
      ::foretrain::exec::RunOptions options;
      options.program = program_path();
      options.emulate = true;
      try {
        const Record record =
            ::foretrain::exec::run(parse_scenario(text, "link-use").front(), options);
        const std::vector<double> found = uses(record, rate.bytes_per_s);
        const std::string name = fmt::format("link_use/{}/{}", rate.name, workers);
        if (found.empty()) {
          report.remark(name + ": no tenth of a second within an exchange");
        } else {
          report.add(result_of(name, "of the rate", Better::more, found));
        }
      } catch (const InputError& error) {
        report.remark(fmt::format("link use: skipped: {}", error.what()));
        return;
      }
      if (smoke) return;
    }
  }
}

}  // namespace foretrain::bench
