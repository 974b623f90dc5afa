// The words of the commands that neither train nor simulate.
#include "reports/cli/command_options.h"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace foretrain {

void examples_options(CLI::App& command, Arguments& arguments) {
  command.add_option(kScenarioWord, arguments.scenario,
                     "a name of the library (default: all are listed)");
  command.add_option("--out", arguments.out, "copy it to FILE")->type_name("FILE");
  command.add_flag("--force", arguments.replaces, "replace the file if it exists");
}

void import_options(CLI::App& command, Arguments& arguments) {
  command
      .add_option("trace", arguments.trace,
                  "Chrome trace of torch.profiler (.json, .json.gz) or CSV of layers; with --step: "
                  "a scenario that describes your cluster")
      ->required()
      ->type_name("FILE");
  command.add_option("--out", arguments.out, "folder of job.yaml and layers.csv (default: job)")
      ->type_name("FOLDER");
  command
      .add_option("--batch", arguments.batch,
                  "batch size of a worker, if shapes in the trace give it wrongly")
      ->check(CLI::Range(1, 1'000'000'000));
  command.add_option("--rank", arguments.rank, "which process of a trace with several, from 0")
      ->check(CLI::Range(0, 1'000'000));
  command.add_option("--device", arguments.device, "which device, if several have kernels")
      ->check(CLI::Range(0, 10'000));
  auto* step =
      command.add_option("--step", arguments.step,
                         "instead of a trace: the time of a step, such as 350 ms; the time of a "
                         "gradient is found by simulating the scenario's cluster");
  auto* parameters =
      command.add_option("--parameters", arguments.parameters,
                         "with --step: number of parameters of the model, such as 110M");
  step->type_name("TIME")->needs(parameters);
  parameters->type_name("N")->needs(step);
  command
      .add_option("--workers", arguments.workers,
                  "with --step: workers of that measurement (default: the scenario's)")
      ->check(CLI::Range(1, 100'000))
      ->needs(step);
  command.add_flag("--force", arguments.replaces, "replace what is in the folder");
  command.add_flag("--json", arguments.json, "print one JSON object on standard output");
  command.add_flag("--quiet", arguments.quiet, "print only the result and errors");
}

void data_options(CLI::App& command, Arguments& arguments) {
  command.require_subcommand(1);
  const auto add = [&](const char* name, const char* what) {
    CLI::App* added = command.add_subcommand(name, what);
    added->callback([&arguments, name] { arguments.data_command = name; });
    return added;
  };
  add("list", "list the formats of data sets");
  add("verify", "read all of a data set and print what it contains")
      ->add_option("path", arguments.data_path, "the folder of its files")
      ->required();
}

void describe_options(CLI::App& command, Arguments& arguments) {
  arguments.program = command.get_parent();
  command.add_option("form", arguments.form, "what is printed")
      ->required()
      ->check(CLI::IsMember(std::vector<std::string>{"man", "man-scenario", "keys", "bash", "zsh",
                                                     "fish", "hardware", "words"}));
  command.add_option("words", arguments.words, "words to complete, given by the shell")->group("");
}

}  // namespace foretrain
