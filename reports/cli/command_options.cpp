#include "reports/cli/command_options.h"

#include "reports/cli/import_command.h"
#include "reports/cli/sweep_cases.h"
#include "reports/cli/validate_cases.h"
#include "reports/cli/whatif_commands.h"
#include "reports/studies/seeds/seed_intervals.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <string>

namespace foretrain {

namespace {

/// CLI11's own check of a number would print the largest double, with 309 digits.
std::string check_percent(const std::string& text) {
  double percent = 0;
  const bool good = CLI::detail::lexical_cast(text, percent) && percent >= 0;
  return good ? std::string() : text + " is not allowed; write per cent, 0 or more, such as 10";
}

constexpr const char* kReplace = "replace the contents of --out, whatever they are";
constexpr const char* kSetAside =
    "if --out has results of another scenario, move them to earlier-1, ...";

void add_record(CLI::App& command, AskedTraining& asked) {
  command.add_option("--record", asked.rows, "summary: leave out rows per step (default: all)")
      ->check(CLI::IsMember({"all", "summary"}));
}

/// Options of the inverse question. It simulates clusters of library hosts, so options about runs
/// on this machine are excluded.
void add_budget(CLI::App& command, WhatIfArguments& arguments) {
  auto* deadline =
      command
          .add_option("--deadline", arguments.deadline,
                      "find instead the cheapest cluster of the library's hosts that does this "
                      "training within TIME, such as 1h, and --budget")
          ->type_name("TIME");
  auto* budget = command
                     .add_option("--budget", arguments.budget,
                                 "most that it may cost: 20k, or '$20,000' in the currency of the "
                                 "hosts' prices")
                     ->type_name("MONEY")
                     ->needs(deadline);
  deadline->needs(budget);
  command
      .add_option(
          "--target", arguments.target,
          "use the time until accuracy=0.97 (or loss=0.1) is reached instead of that of all steps; "
          "the best clusters are simulated with real gradients")
      ->type_name("NAME=VALUE")
      ->needs(deadline);
  command
      .add_option("--hosts", arguments.hosts,
                  "names of library hosts to try (default: all that are for rent, with devices if "
                  "the profile is of one; bought hosts only by name)")
      ->type_name("NAMES")
      ->expected(1)
      ->take_all()
      ->delimiter(',')
      ->needs(deadline);
  command
      .add_option("--max-hosts", arguments.max_hosts,
                  "largest number of hosts: 1, 2, 4, ... are tried (default: 8)")
      ->type_name("N")
      ->check(CLI::Range(1, 256))
      ->needs(deadline);
  for (const char* other : {"--crossover", "--verify", "--repeat", "--emulate"}) {
    deadline->excludes(command.get_option(other));
  }
}

}  // namespace

void add_scenario(CLI::App& command, AskedScenario& asked, bool required) {
  auto* scenario = command.add_option(kScenarioWord, asked.scenario,
                                      "a scenario: a file, or a name from the library");
  if (required) scenario->required();
  command.add_option("--set", asked.overrides, "set a key of the scenario")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->take_all();
  command.add_option("--seed", asked.seed, "as --set seed=N")->type_name("N");
}

void add_output(CLI::App& command, Output& output, const char* default_folder, const char* force) {
  command.add_option("--out", output.out,
                     fmt::format("folder for the results (default: {})", default_folder));
  command.add_flag("--quiet", output.quiet, kQuiet);
  if (force == nullptr) return;
  command.add_flag("--force", output.force, force);
  add_full(command, output);
}

void add_full(CLI::App& command, Output& output) {
  command.add_flag("--full", output.full, "print every table with all rows, and every node");
}

void run_options(CLI::App& command, RunArguments& arguments) {
  add_scenario(command, arguments);
  add_output(command, arguments, "out/NAME/run, out/NAME/run-SETTINGS with --set",
             "replace the contents of --out, even a training that could be continued");
  add_launch(command, arguments);
  command.add_flag("--emulate", arguments.emulate,
                   "give each host its own network on this machine (root)");
  add_hosts(command, arguments);
  add_tls(command, arguments);
  add_record(command, arguments);
  command.add_option("--save", arguments.save, "write the final weights to FILE.safetensors")
      ->type_name("FILE");
  command
      .add_option("--resume", arguments.resume,
                  "continue from the newest whole checkpoint in FOLDER, which is of a run of this "
                  "scenario (training.servers may differ); its record is continued there or in "
                  "--out")
      ->type_name("FOLDER");
  command
      .add_option("--max-restarts", arguments.max_restarts,
                  "restart a node that died, at most N times: with async and ssp only that worker, "
                  "while the others continue; else all nodes from the newest whole checkpoint "
                  "(default: 0)")
      ->type_name("N")
      ->check(CLI::Range(0, 1'000'000));
  command
      .add_option("--metrics", arguments.metrics,
                  "serve Prometheus metrics while it trains, at [ADDRESS]:PORT; :9464 can be "
                  "reached from this machine only")
      ->type_name("PLACE");
  command.add_flag("--json", arguments.json, kJson);
}

void simulate_options(CLI::App& command, SimulateArguments& arguments) {
  add_scenario(command, arguments, false);
  add_output(command, arguments, "out/NAME/simulate, out/NAME/simulate-SETTINGS with --set",
             kReplace);
  add_record(command, arguments);
  command.add_option("--machine", arguments.machine, kMachine);
  command.add_flag("--emulate", arguments.emulate,
                   "forecast hosts that are emulated on this machine, as run --emulate does");
  command.add_flag("--json", arguments.json, kJson);
  command.add_flag("--whole", arguments.whole,
                   "simulate all hosts, even where one can stand for others like it");
  auto* replayed =
      command.add_option("--replay", arguments.replay,
                         "simulate the training recorded in this folder, with its recorded order "
                         "of messages");
  command
      .add_option("--seeds", arguments.seeds, "simulate N seeds: median, 5th and 95th percentile")
      ->check(CLI::Range(1, static_cast<int>(kMostSeeds)))
      ->excludes(replayed);
  // The record determines all of these. For --set and --seed, read_recorded gives the reason.
  for (const char* other : {"scenario", "--record", "--machine", "--emulate"}) {
    replayed->excludes(command.get_option(other));
  }
}

void whatif_options(CLI::App& command, WhatIfArguments& arguments) {
  add_scenario(command, arguments);
  command.get_option(kScenarioWord)
      ->description(
          "a scenario: a file, or a name from the library; or the folder of a recorded run");
  add_output(command, arguments, "out/NAME/whatif, out/NAME/whatif-SETTINGS with --set",
             "replace the contents of --out, whatever they are");
  command.add_option("--machine", arguments.machine, kMachine);
  command.add_flag("--emulate", arguments.emulate,
                   "forecast hosts that are emulated on this machine, as run --emulate does");
  command.add_flag("--crossover", arguments.crossover,
                   "search the best number of servers and bucket size; with a target also the "
                   "batch size");
  auto* verify = command.add_option(
      "--verify", arguments.verify,
      "run the training for real without and with CHANGE (default: the best one)");
  verify->type_name("CHANGE")->expected(0, 1)->default_str(kBestChange);
  command.add_option("--repeat", arguments.repetitions, "with --verify: runs of each (default: 3)")
      ->check(CLI::Range(1, 100))
      ->needs(verify);
  add_budget(command, arguments);
  command.add_flag("--json", arguments.json, kJson);
}

void validate_options(CLI::App& command, ValidateArguments& arguments) {
  add_scenario(command, arguments, false);
  add_output(command, arguments, "out/NAME/validate, out/NAME/validate-SETTINGS with --set",
             kSetAside);
  add_launch(command, arguments);
  command.add_flag("--emulate", arguments.emulate,
                   "give each host its own network on this machine (root)");
  refuse_tls(command);
  command.add_option("--machine", arguments.machine, kMachine);
  command.add_option("--repeat", arguments.repetitions, "runs of each case (default: 5)")
      ->check(CLI::Range(1, 100));
  command
      .add_option("--fail-above", arguments.fail_above,
                  "exit status 1 if a strategy's median error of the step time is above PERCENT")
      ->type_name("PERCENT")
      ->check(check_percent);
  command
      .add_option("--ledger", arguments.ledger,
                  "add the errors found on this machine to the ledger FILE")
      ->type_name("FILE");
  auto* against = command.add_option("--against", arguments.against,
                                     "train nothing: forecast the measurements in TABLE (CSV)");
  against->type_name("TABLE");
  for (const char* other :
       {"--ledger", "--repeat", "--emulate", "--port", "--job-key", "--force"}) {
    against->excludes(command.get_option(other));
  }
  command.add_flag("--json", arguments.json, kJson);
}

void import_options(CLI::App& command, ImportArguments& arguments) {
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
  command.add_flag("--force", arguments.force, "replace what is in the folder");
  command.add_flag("--json", arguments.json, kJson);
  command.add_flag("--quiet", arguments.quiet, kQuiet);
}

void sweep_options(CLI::App& command, SweepArguments& arguments) {
  add_scenario(command, arguments);
  add_output(command, arguments, "out/NAME/sweep, out/NAME/sweep-SETTINGS with --set");
  command.add_flag("--force", arguments.force, kSetAside);
  command.add_option("--mode", arguments.mode, "simulate (default) or run")
      ->check(CLI::IsMember({"simulate", "run"}));
  command
      .add_option("--jobs", arguments.jobs,
                  "simulations in parallel (default: number of cores); runs are done one at a time")
      ->check(CLI::Range(1, 1024));
  command
      .add_option("--shard", arguments.shard,
                  "do part k of n (from 1); all parts use the same --out")
      ->type_name("k/n");
  add_full(command, arguments);
  command.add_flag("--retry", arguments.retry, "repeat failed cases");
  command.add_flag("--records", arguments.records, "keep the record of each case, in cases/NAME");
  command.add_option("--machine", arguments.machine, kMachine);
  command.add_flag("--emulate", arguments.emulate,
                   "give each host a network of its own on this machine");
  command.add_flag("--json", arguments.json, kJson);
}

void calibrate_options(CLI::App& command, CalibrateArguments& arguments) {
  add_scenario(command, arguments, false);
  add_output(command, arguments, "this machine's cache");
  auto* from = command.add_option(
      "--from", arguments.from,
      "measure nothing: use a record of one worker, or a CSV file batch_size,seconds; may be given "
      "several times");
  from->type_name("FOLDER|CSV")->expected(1)->take_all();
  command
      .add_option("--model", arguments.model, "the model of the CSV file, such as 'lenet 784x10'")
      ->needs(from);
  command
      .add_option("--machine", arguments.machine, "with --from: a machine file for all other costs")
      ->needs(from);
  auto* cluster = command.add_flag(
      "--cluster", arguments.cluster,
      "under srun or mpirun, one task per host: measure every host and the network between them; "
      "--out is a folder (default: machines) for a machine file per kind of host and cluster.yaml");
  cluster->excludes(from);
  add_job_key(command, arguments.job_key)->needs(cluster);
  for (const char* other : {"--set", "--seed"}) {
    command.get_option(other)->needs(command.get_option("scenario"));
  }
}

void serve_options(CLI::App& command, ServeArguments& arguments) {
  command.add_option("scenario", arguments.scenario,
                     "a scenario file to begin with (default: the library's)");
  command.add_option("--port", arguments.port, "port of the page (default: 8080; 0: any free one)")
      ->check(CLI::Range(0, 65535));
  command
      .add_option("--address", arguments.address,
                  "address to listen on; 0.0.0.0 can be reached from other machines (default: "
                  "127.0.0.1)")
      ->type_name("ADDRESS");
  command.add_option("--machine", arguments.machine, kMachine);
  command
      .add_option("--out", arguments.out,
                  "folder of records and of runs that it starts (default: out)")
      ->type_name("FOLDER");
}

}  // namespace foretrain
