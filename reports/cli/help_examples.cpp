// Examples of commands for their help.
#include "reports/cli/describe.h"

#include <fmt/format.h>

#include <utility>

namespace foretrain {
namespace {

struct ShownExample {
  const char* command;
  const char* words;  // after `foretrain COMMAND`
  const char* what;
};

constexpr ShownExample kShownExamples[] = {
    {"new", "", "asks a few questions, writes scenario.yaml"},
    {"new", "--model lenet --data digits --out mine.yaml", "what is said is not asked"},
    {"examples", "", "list the library"},
    {"examples", "studies/slow_worker --out mine.yaml", "copy one of it"},
    {"run", "scenarios/quickstart.yaml", "train every case of it, into out/quickstart/run"},
    {"run", "scenarios/quickstart.yaml --set sweep=null --save w.safetensors",
     "a single one, whose weights are kept"},
    {"run", "mine.yaml --hosts node1:2,node2 --tls",
     "two workers on node1, a server on node2, through ssh, encrypted"},
    {"simulate", "scenarios/quickstart.yaml", "forecast the same, into out/quickstart/simulate"},
    {"simulate", "scenarios/quickstart.yaml --set training.workers=4 --json",
     "with other settings, for a program"},
    {"validate", "scenarios/quickstart.yaml", "train, forecast, compare"},
    {"validate", "scenarios/quickstart.yaml --out out/mine --fail-above 50",
     "kept in out/mine, gone on with there; fails where a forecast is far off"},
    {"validate", "--against scenarios/published/published.csv",
     "forecast what five studies measured; with a scenario first, your own table"},
    {"evaluate", "scenarios/quickstart.yaml --weights w.safetensors",
     "judge weights that run --save kept"},
    {"whatif", "scenarios/quickstart.yaml --set training.strategy=sync", "what limits it"},
    {"whatif", "job/job.yaml --deadline 3h --budget 80",
     "which cluster to rent for a job that import made"},
    {"whatif", "mine.yaml --deadline 1h --budget 5 --target accuracy=0.97",
     "which one comes to that accuracy in time, by gradients that are carried out"},
    {"import", "trace.json --out job", "a scenario of what torch.profiler saw"},
    {"import", "mine.yaml --step '350 ms' --parameters 110M --workers 4",
     "of a step that was measured on the cluster of mine.yaml"},
    {"sweep", "scenarios/studies/batch_size.yaml", "every case, as rows of one table"},
    {"sweep", "scenarios/quickstart.yaml --mode run", "trained for real, not forecast"},
    {"serve", "scenarios/quickstart.yaml", "a page to ask by hand, which begins with that one"},
    {"check", "scenarios/quickstart.yaml --set training.batch_size=64",
     "what would be trained, every default filled in"},
    {"check", "scenarios/quickstart.yaml --graph", "what a step computes and sends"},
    {"report", "out/quickstart/run out/quickstart/simulate --out out/page",
     "the page out/page/report.html, with the figures"},
    {"calibrate", "", "this machine, for every forecast from then on"},
    {"calibrate", "scenarios/quickstart.yaml --out machine.yaml",
     "for the model of a scenario, into a machine file"},
    {"data", "list", "the formats of data sets"},
    {"data list", "", "the formats that dataset: can name"},
    {"data verify", "data/mnist", "read all of it"},
    {"describe", "bash", "completion: source <(foretrain describe bash)"},
    {"describe", "hardware", "the hosts that a scenario may name"},
};

}  // namespace

std::vector<HelpExample> help_examples(std::string_view command) {
  std::vector<HelpExample> examples;
  for (const ShownExample& each : kShownExamples) {
    if (each.command != command) continue;
    std::string line = fmt::format("foretrain {} {}", each.command, each.words);
    line.erase(line.find_last_not_of(' ') + 1);
    examples.push_back({std::move(line), each.what});
  }
  return examples;
}

std::string help_examples_text(std::string_view command) {
  std::string text;
  for (const HelpExample& each : help_examples(command)) {
    text += fmt::format("{}    {}\n        {}\n", text.empty() ? "Examples:\n" : "", each.line,
                        each.what);
  }
  return text;
}

}  // namespace foretrain
