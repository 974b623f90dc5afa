// The front door: one subcommand, one call.
#include "exec/calibration/calibration_cache.h"
#include "exec/launch/process.h"
#include "exec/launch/run.h"
#include "models/base/check.h"
#include "models/data/data_error.h"
#include "models/data/open_data.h"
#include "models/data/verify.h"
#include "reports/bands/bands.h"
#include "reports/calibration/calibrate_from.h"
#include "reports/commands/commands.h"
#include "reports/commands/data_commands.h"
#include "reports/determinism/determinism.h"
#include "reports/figures/figure.h"
#include "reports/record/collector.h"
#include "reports/record/files.h"
#include "reports/record/summary.h"
#include "reports/terminal/ctrl_c.h"
#include "reports/terminal/progress.h"
#include "reports/terminal/step_graph_text.h"
#include "reports/terminal/summary_table.h"
#include "reports/validation/validate_cases.h"
#include "scenarios/machine.h"
#include "scenarios/read.h"
#include "scenarios/schema.h"
#include "sim/driver/replay.h"
#include "sim/driver/simulate.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

namespace {

using namespace foretrain;

// What the command line says; each subcommand uses its part.
struct Arguments {
  std::string scenario;
  std::vector<std::string> overrides;
  std::string seed;
  std::string out;
  std::string machine;
  std::string replay;
  int seeds = 0;  // 0: not asked for
  bool determinism = false;
  std::string rows = "all";
  bool json = false;
  bool quiet = false;
  bool schema = false;
  std::string graph;  // table | dot; empty: not asked for
  exec::RunOptions run;
  Judgement judgement;
  double max_delay_ms = 0;
  std::vector<std::string> records;
  std::vector<std::string> from;
  std::string model;
  std::string data_path;
  std::string data_format = "digits";
  std::vector<std::string> data_settings;
};

std::vector<Case> read_cases(const Arguments& arguments) {
  if (arguments.scenario.empty()) throw InputError("name a scenario file");
  std::vector<std::string> overrides = arguments.overrides;
  if (!arguments.seed.empty()) overrides.push_back("seed=" + arguments.seed);
  return read_scenario(arguments.scenario, overrides);
}

Answer answer_of(const Arguments& arguments, const std::string& command) {
  return {command, arguments.out, arguments.json, arguments.quiet};
}

void say(const Arguments& arguments, const std::string& line) {
  answer_of(arguments, "").say(line);
}

Record run_case(const Arguments& arguments, const Case& scenario_case) {
  Progress progress("run " + scenario_case.label(), arguments.quiet);
  exec::RunOptions options = arguments.run;
  options.max_delay = Duration::from_seconds(arguments.max_delay_ms / 1e3);
  options.progress = [&](std::int64_t done, std::int64_t all, Duration clock) {
    progress.update(done, all, clock);
  };
  Record record = exec::run(scenario_case, options);
  if (arguments.rows == "summary") keep_summary(record);
  return record;
}

// `progress`: null, nothing is told of the steps.
Record simulate_quietly(const Arguments& arguments, const Case& scenario_case, Progress* progress) {
  sim::SimulateOptions options;
  options.machines = [&](const std::string& name) {
    if (!name.empty()) return read_machine(name);
    if (!arguments.machine.empty()) return read_machine(arguments.machine);
    return exec::cached_machine(scenario_case, options.emulated,
                                [&](const std::string& line) { say(arguments, line); });
  };
  options.emulated = arguments.run.emulate;
  options.progress = [&](std::int64_t done, std::int64_t all, Instant now) {
    if (progress != nullptr) progress->update(done, all, now - Instant{});
  };
  options.interrupted = CtrlC::asked;
  options.summary_only = arguments.rows == "summary";
  return sim::simulate(scenario_case, options);
}

Record simulate_case(const Arguments& arguments, const Case& scenario_case) {
  Progress progress("simulate " + scenario_case.label(), arguments.quiet);
  const CtrlC ctrl_c;
  return simulate_quietly(arguments, scenario_case, &progress);
}

// What went wrong: whose fault it is decides the status.
int tell(const std::exception& error) {
  const bool bug = dynamic_cast<const InvariantViolation*>(&error) != nullptr;
  fmt::print(stderr, "error: {}{}\n", bug ? "foretrain has a bug: " : "", error.what());
  if (const auto* broken = dynamic_cast<const NotDone*>(&error))
    return status_of(broken->outcome());
  const bool input = dynamic_cast<const InputError*>(&error) != nullptr ||
                     dynamic_cast<const DataError*>(&error) != nullptr;
  return input ? kBadInput : kFailed;
}

int print(const std::string& answer) {
  fmt::print("{}", answer);
  return kDone;
}

int simulate_cases(const Arguments& arguments) {
  const std::vector<Case> cases = read_cases(arguments);
  const Answer answer = answer_of(arguments, "simulate");
  if (arguments.seeds > 0) {
    const CtrlC ctrl_c;
    return band_cases(answer, cases, arguments.seeds, static_cast<int>(exec::usable_cores().size()),
                      [&](const Case& each) { return simulate_quietly(arguments, each, nullptr); });
  }
  const auto simulate = [&](const Case& each) { return simulate_case(arguments, each); };
  return arguments.determinism ? twin_cases(answer, cases, simulate)
                               : train_cases(answer, cases, simulate);
}

int compare_modes(const Arguments& arguments) {
  const Modes modes{[&](const Case& each) { return run_case(arguments, each); },
                    [&](const Case& each) { return simulate_case(arguments, each); }, sim::replay};
  return validate_cases(answer_of(arguments, "validate"), read_cases(arguments),
                        arguments.judgement, modes);
}

// The weights of a run again, from the order of its inputs.
int replay(const Arguments& arguments) {
  const Record recorded = read_record(arguments.replay);
  const Record record = sim::replay(recorded);
  const auto folder = answer_of(arguments, "replay").folder_of(recorded.scenario_case);
  write_record(record, folder);
  if (arguments.json) print_json(to_json(record));
  say(arguments, fmt::format("{}record: {}", summary_table(record), folder.string()));
  const Replayed replayed = compare_weights(recorded, record);
  say(arguments, replayed.sentence);
  return replayed.as_recorded ? status_of(record.outcome) : kFailed;
}

int check(Arguments arguments) {
  if (arguments.schema) return print(scenario_schema());
  const bool graph = !arguments.graph.empty();
  const bool dot = arguments.graph == "dot";
  if (graph && !dot && arguments.graph != "table") {
    // `check --graph FILE`: what follows --graph is no form, so it is the scenario.
    if (!arguments.scenario.empty()) {
      throw InputError(fmt::format("--graph {}: write table or dot", arguments.graph));
    }
    arguments.scenario = arguments.graph;
  }
  for (const Case& each : read_cases(arguments)) {
    // A comment where a sweep makes several: of YAML, of Graphviz.
    if (!each.settings.empty()) fmt::print("{} {}\n", dot ? "//" : "#", each.label());
    fmt::print("{}\n", graph ? step_text(each, dot) : to_yaml(each.scenario));
  }
  return kDone;
}

int report(const Arguments& arguments) {
  std::vector<Record> records;
  for (const std::string& folder : arguments.records) {
    records.push_back(read_record(folder));
    say(arguments, summary_table(records.back()));
  }
  return print(draw_all(records, arguments.out.empty() ? "out/report" : arguments.out));
}

int calibrate(const Arguments& arguments) {
  std::vector<Case> cases;  // empty: the models that everybody asks for
  if (!arguments.scenario.empty()) cases = read_cases(arguments);
  if (!arguments.from.empty()) {
    Measurements measured{arguments.from, arguments.model, std::nullopt, arguments.machine};
    if (!cases.empty()) measured.scenario_case = cases.front();
    return calibrate_from(answer_of(arguments, "calibrate"), measured);
  }
  const auto tell = [&](const std::string& line) { say(arguments, line); };
  const auto path = exec::calibrate_to(arguments.out, cases, tell);
  return print(fmt::format("machine: {}\n", path.string()));
}

constexpr const char* kJson = "print one JSON object on standard output";
constexpr const char* kMachine = "a machine file (default: this machine's calibration)";

CLI::App* add_command(CLI::App& app, const char* name, const char* what) {
  CLI::App* command = app.add_subcommand(name, what);
  command->fallthrough(false);
  return command;
}

void add_scenario(CLI::App* command, Arguments& arguments, bool required = true) {
  auto* scenario = command->add_option("scenario", arguments.scenario, "a scenario file");
  if (required) scenario->required();
  command->add_option("--set", arguments.overrides, "lay KEY=VALUE over the scenario")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->take_all();
  command->add_option("--seed", arguments.seed, "as --set seed=N")->type_name("N");
}

void add_output(CLI::App* command, Arguments& arguments, const char* default_folder) {
  command->add_option("--out", arguments.out,
                      fmt::format("where it is written (default: {})", default_folder));
  command->add_flag("--quiet", arguments.quiet, "say nothing but what was asked for");
}

void add_run_options(CLI::App* command, Arguments& arguments) {
  command
      ->add_option(
          "--port", arguments.run.port,
          "launcher's port on loopback; server (or worker) s takes the port 1 + s above it")
      ->check(CLI::Range(0, 65000));
  command
      ->add_option("--job-key", arguments.run.job_key, "file with the secret of all tasks (srun)")
      ->type_name("FILE");
  command
      ->add_option("--inject-delay-ms", arguments.max_delay_ms,
                   "sleep for a random while, up to this, before every input and send of a node")
      ->group("Testing");
  command->add_flag("--emulate", arguments.run.emulate, "a network for each host (root)");
}

void add_record(CLI::App* command, Arguments& arguments) {
  command
      ->add_option("--record", arguments.rows,
                   "summary: leave out what grows with the steps (default: all)")
      ->check(CLI::IsMember({"all", "summary"}));
}

template <class Choose>
void declare_data(CLI::App& app, Arguments& arguments, const Choose& choose) {
  auto* data = add_command(app, "data", "list, verify, draw data sets");
  data->require_subcommand(1);
  auto* list = data->add_subcommand("list", "the formats that a scenario's dataset: can name");
  choose(list, [] { return print(describe_formats()); });
  auto* verify = data->add_subcommand("verify", "read all of a file or folder, tell what it holds");
  verify->add_option("path", arguments.data_path, "a data file, or a folder of them")->required();
  choose(verify, [&] { return print(describe_data(arguments.data_path)); });
  auto* draw = data->add_subcommand("draw", "write a drawn data set as IDX files");
  draw->add_option("format", arguments.data_format, "digits (default) or images")
      ->check(CLI::IsMember({"digits", "images"}));
  draw->add_option("--set", arguments.data_settings,
                   "a key of dataset: in a scenario, such as take=1000, side=64, seed=2")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->take_all();
  draw->add_option("--out", arguments.out, "folder (default: out/data/FORMAT)");
  choose(draw, [&] {
    return print(draw_data(arguments.data_format, arguments.data_settings, arguments.out));
  });
}

template <class Choose>
void declare_calibration(CLI::App& app, Arguments& arguments, const Choose& choose) {
  auto* calibrating = add_command(app, "calibrate", "measure this machine for simulate");
  add_scenario(calibrating, arguments, false);
  add_output(calibrating, arguments, "this machine's cache");
  auto* from = calibrating->add_option(
      "--from", arguments.from,
      "measure nothing: a record of one worker, or a CSV file batch_size,seconds; may repeat");
  from->type_name("FOLDER|CSV")->expected(1)->take_all();
  calibrating->add_option("--model", arguments.model, "of the CSV file, such as 'lenet 784x10'")
      ->needs(from);
  calibrating->add_option("--machine", arguments.machine, "a machine file that has the rest")
      ->needs(from);
  choose(calibrating, [&] { return calibrate(arguments); });
}

template <class Choose>
void declare_validation(CLI::App& app, Arguments& arguments, const Choose& choose) {
  auto* validate = add_command(app, "validate", "both, side by side, with errors");
  add_scenario(validate, arguments);
  add_output(validate, arguments, "out/NAME/validate");
  add_run_options(validate, arguments);
  validate->add_option("--machine", arguments.machine, kMachine);
  validate
      ->add_option("--repeat", arguments.judgement.repetitions, "runs of each case (default: 5)")
      ->check(CLI::Range(1, 100));
  validate
      ->add_option("--fail-above", arguments.judgement.fail_above,
                   "exit status 1 where a strategy's median error of step time is above PERCENT")
      ->type_name("PERCENT")
      ->check(CLI::NonNegativeNumber);
  validate->add_flag("--json", arguments.json, kJson);
  choose(validate, [&] { return compare_modes(arguments); });
}

// Declares the commands; the one that was called leaves what to do in `chosen`.
void declare(CLI::App& app, Arguments& arguments, std::function<int()>& chosen) {
  const auto choose = [&](CLI::App* command, std::function<int()> action) {
    command->callback([&chosen, action = std::move(action)] { chosen = action; });
  };
  auto* run = add_command(app, "run", "train for real: one process a node, over TCP");
  add_scenario(run, arguments);
  add_output(run, arguments, "out/NAME/run");
  add_run_options(run, arguments);
  add_record(run, arguments);
  run->add_flag("--json", arguments.json, kJson);
  choose(run, [&] {
    const auto other = exec::take_part(read_cases(arguments), arguments.run);
    if (other) return *other;
    return train_cases(answer_of(arguments, "run"), read_cases(arguments),
                       [&](const Case& each) { return run_case(arguments, each); });
  });

  auto* simulate = add_command(app, "simulate", "the same training in virtual time");
  add_scenario(simulate, arguments, false);
  add_output(simulate, arguments, "out/NAME/simulate");
  add_record(simulate, arguments);
  simulate->add_option("--machine", arguments.machine, kMachine);
  simulate->add_flag("--emulate", arguments.run.emulate, "hosts share this machine, as of run");
  simulate->add_flag("--json", arguments.json, kJson);
  auto* replayed =
      simulate->add_option("--replay", arguments.replay,
                           "a run's folder: its training again, in the order that it recorded");
  auto* seeds = simulate->add_option("--seeds", arguments.seeds,
                                     "so many seeds in parallel: median, 5th, 95th percentile");
  seeds->check(CLI::Range(1, static_cast<int>(kMostSeeds)))->excludes(replayed);
  simulate->add_flag("--check-determinism", arguments.determinism, "twice, compared byte by byte")
      ->excludes(replayed)
      ->excludes(seeds);
  choose(simulate,
         [&] { return arguments.replay.empty() ? simulate_cases(arguments) : replay(arguments); });

  declare_validation(app, arguments, choose);
  auto* checking = add_command(app, "check", "read a scenario, print it resolved, run nothing");
  add_scenario(checking, arguments, false);
  checking->add_flag("--schema", arguments.schema, "print the JSON schema of scenarios instead");
  checking
      ->add_option("--graph", arguments.graph,
                   "print the step graph instead: a table, or dot, a drawing for Graphviz")
      ->type_name("table|dot")
      ->expected(0, 1)
      ->default_str("table");
  choose(checking, [&] { return check(arguments); });

  auto* reporting = add_command(app, "report", "figures from the records of runs and simulations");
  reporting->add_option("records", arguments.records, "folders that run and simulate wrote")
      ->required();
  add_output(reporting, arguments, "out/report");
  choose(reporting, [&] { return report(arguments); });

  declare_calibration(app, arguments, choose);
  declare_data(app, arguments, choose);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "foretrain: see before you train.\nTrains by distributed SGD over TCP, and "
      "forecasts the same training in virtual time."};
  app.set_version_flag("--version", std::string("foretrain ") + FORETRAIN_VERSION);
  app.require_subcommand(1);
  Arguments arguments;
  std::function<int()> chosen;
  declare(app, arguments, chosen);
  try {
    // No subcommand for people: the process of a node, which the launcher starts.
    if (argc > 1 && argv[1] == std::string("node")) return exec::node_main({argv + 2, argv + argc});
    app.parse(argc, argv);
    return chosen();
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kDone : kBadInput;
  } catch (const std::exception& error) {
    return tell(error);
  }
}
