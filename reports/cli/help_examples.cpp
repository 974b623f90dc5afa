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
    {"new", "--model lenet --data digits --out mine.yaml", "only what is missing is asked"},
    {"new", "--model llama-3-8b --cluster 'p5.48xlarge x 4'",
     "a forecast by name: does it fit, how fast, what limits it"},
    {"examples", "", "list the library"},
    {"examples", "studies/slow_worker --out mine.yaml", "copy one scenario"},
    {"run", "scenarios/quickstart.yaml", "train every case; results in out/quickstart/run"},
    {"run", "scenarios/quickstart.yaml --set sweep=null --save w.safetensors",
     "train a single case and save its weights"},
    {"run", "mine.yaml --hosts node1:2,node2 --tls",
     "two workers on node1 and a server on node2, through ssh, encrypted"},
    {"simulate", "scenarios/quickstart.yaml",
     "forecast every case; results in out/quickstart/simulate"},
    {"simulate", "scenarios/quickstart.yaml --set training.workers=4 --json",
     "with other settings; output for a program"},
    {"validate", "scenarios/quickstart.yaml", "train, forecast, compare"},
    {"validate", "scenarios/quickstart.yaml --out out/mine --fail-above 50",
     "results in out/mine, continued there; fails if a forecast is far off"},
    {"validate", "--against scenarios/published/published.csv",
     "forecast what five studies measured; with a scenario first, your own table"},
    {"evaluate", "scenarios/quickstart.yaml --weights w.safetensors",
     "accuracy and loss of weights that run --save wrote"},
    {"whatif", "scenarios/quickstart.yaml --set training.strategy=sync", "what limits it"},
    {"whatif", "job/job.yaml --deadline 3h --budget 80",
     "which cluster to rent for a job that import made"},
    {"whatif", "mine.yaml --deadline 1h --budget 5 --target accuracy=0.97",
     "which one reaches that accuracy in time, simulated with real gradients"},
    {"import", "trace.json --out job", "make a scenario from a trace of torch.profiler"},
    {"import", "mine.yaml --step '350 ms' --parameters 110M --workers 4",
     "make one from the step time measured on the cluster of mine.yaml"},
    {"sweep", "scenarios/studies/batch_size.yaml", "every case as a row of one table"},
    {"sweep", "scenarios/quickstart.yaml --mode run", "trained for real, not forecast"},
    {"serve", "scenarios/quickstart.yaml",
     "a page in the browser, which begins with this scenario"},
    {"check", "scenarios/quickstart.yaml --set training.batch_size=64",
     "what would be trained, every default filled in"},
    {"check", "scenarios/quickstart.yaml --graph", "what a step computes and sends"},
    {"report", "out/quickstart/run out/quickstart/simulate --out out/page",
     "the page out/page/report.html, with the figures"},
    {"report", "out/quickstart/run out/quickstart/simulate --worksheet --answers",
     "a page to print for a class, here with the answers"},
    {"calibrate", "", "measure this machine, for all later forecasts"},
    {"calibrate", "scenarios/quickstart.yaml --out machine.yaml",
     "measure the model of a scenario, into a machine file"},
    {"data", "list", "the formats of data sets"},
    {"data list", "", "list the formats"},
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
