// The main program: each subcommand calls one function.
#include "exec/calibration/calibrate_from.h"
#include "exec/calibration/calibration_cache.h"
#include "exec/calibration/cluster/calibrate_cluster.h"
#include "exec/calibration/gradient_alone.h"
#include "exec/checkpoint/resumption.h"
#include "exec/launch/kernel_program.h"
#include "exec/launch/run.h"
#include "exec/launch/this_program.h"
#include "exec/metrics/endpoint.h"
#include "exec/system/process.h"
#include "exec/system/this_processor.h"
#include "exec/transport/build_name.h"
#include "reports/cli/command_line.h"
#include "reports/cli/command_options.h"
#include "reports/cli/folders.h"
#include "reports/cli/import_command.h"
#include "reports/cli/sweep_cases.h"
#include "reports/cli/validate_cases.h"
#include "reports/cli/whatif_commands.h"
#include "reports/record/interruption.h"
#include "reports/record/wrapped_text.h"
#include "reports/serve/serve.h"
#include "reports/show/terminal/case_text.h"
#include "reports/show/terminal/progress.h"
#include "scenarios/language/input_error.h"
#include "scenarios/library/machine_file.h"
#include "scenarios/resolve/prepared.h"
#include "sim/driver/replay.h"
#include "sim/driver/simulate.h"
#include "sim/whatif/forecaster.h"
#include "sim/whatif/limit.h"
#include "sim/whatif/whatif.h"
#include "sim/world/host_machine.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace {
using namespace foretrain;

exec::Tell telling(const Output& output) {
  return [&](const std::string& line) { output.say(line); };
}

exec::RunOptions run_options_of(const AskedTraining& asked, const Launch& launch = {}) {
  exec::RunOptions options;
  options.emulate = asked.emulate;
  options.port = launch.port;
  options.max_delay = Duration::from_seconds(launch.max_delay_ms / 1e3);
  return options;
}

Record run_case(const AskedTraining& asked, exec::RunOptions options, const Case& scenario_case,
                const std::string& what = {}) {
  Progress progress(what.empty() ? "run " + scenario_case.label() : what, asked.quiet);
  options.progress = [&](std::int64_t done, std::int64_t all, Duration clock) {
    progress.update(done, all, clock);
  };
  if (asked.rows == "summary") options.rows = RowsKept::summary;
  return exec::run(scenario_case, options);
}

// The machine for hosts that name none: that of --machine, else this machine's calibration.
Machine machine_of(const AskedTraining& asked, const Prepared& prepared) {
  if (!asked.machine.empty()) return read_machine(asked.machine);
  return exec::cached_machine(prepared, asked.emulate, telling(asked));
}

// The result refers to `asked` and `prepared`. `slower`: present times over the calibrated ones.
sim::MachineLookup machines_for(const AskedTraining& asked, const Prepared& prepared,
                                double slower = 1) {
  return [&, slower](const std::string& name) {
    if (!name.empty()) return read_machine(name);
    Machine machine = machine_of(asked, prepared);
    exec::settle(machine, slower);
    return machine;
  };
}

// `progress`: null if none is shown. `recorded`: a run's inputs; their times replace modelled ones.
Record simulate_quietly(const AskedTraining& asked, const Case& scenario_case, DataSets& data_sets,
                        Progress* progress, std::span<const InputRow> recorded = {},
                        double slower = 1) {
  const Prepared prepared =
      prepare(scenario_case, need_of_simulation(scenario_case.scenario), data_sets);
  sim::SimulateOptions options;
  options.machines = machines_for(asked, prepared, slower);
  options.emulated = asked.emulate;
  options.progress = [&](std::int64_t done, std::int64_t all, Instant now, const Record&) {
    if (progress != nullptr) progress->update(done, all, now - Instant{});
  };
  options.interrupted = Interruption::asked;
  options.cores = progress != nullptr ? exec::usable_core_count() : 1;
  options.summary_only = asked.rows == "summary";
  options.recorded = recorded;
  options.whole = asked.whole;
  return sim::simulate(prepared, options);
}

Train quietly(const AskedTraining& asked, DataSets& data_sets) {
  return [&, asked](const Case& each) { return simulate_quietly(asked, each, data_sets, nullptr); };
}

Record simulate_case(const AskedTraining& asked, const Case& scenario_case, DataSets& data_sets,
                     const std::string& what) {
  Progress progress(what, asked.quiet);
  return simulate_quietly(asked, scenario_case, data_sets, &progress);
}

// Simulates a run's case with its recorded job times.
std::optional<Record> simulate_own_times(const AskedTraining& asked, const Record& run,
                                         DataSets& data_sets) {
  if (!sim::has_job_times(run)) return std::nullopt;
  Record record = simulate_quietly(asked, sim::case_of_times(run.scenario_case, data_sets),
                                   data_sets, nullptr, run.inputs);
  Interruption::check();  // half a simulation would be useless for a comparison
  return record;
}

int run(const RunArguments& arguments) {
  const std::vector<Case> cases = read_cases(arguments);
  exec::RunOptions options = run_options_of(arguments, arguments);
  options.save = arguments.save;
  options.resume = arguments.resume;
  options.max_restarts = arguments.max_restarts;
  exec::check_save(options.save);
  if (!arguments.save.empty()) check_one(cases, "--save: writes the weights of one training");
  if (!arguments.resume.empty()) check_one(cases, "--resume: continues one training");
  const exec::StartOptions start{
      exec::read_hosts(arguments.slots, arguments.ssh, arguments.own_address),
      arguments.job_key,
      {arguments.tls, {arguments.tls_certificate, arguments.tls_key, arguments.tls_authority}}};
  if (const auto other = exec::take_part(cases, start, options)) return *other;
  const Interruption interruption;
  std::optional<exec::MetricsEndpoint> metrics;
  if (!arguments.metrics.empty()) {
    metrics.emplace(exec::read_metrics_place(arguments.metrics));
    arguments.say("metrics: " + metrics->url());
    options.watch = [&](const Record& so_far, std::int64_t all) { metrics->follow(so_far, all); };
  }
  Answer answer = answer_of(arguments, "run");
  answer.provenance = exec::this_program;
  if (answer.out.empty()) answer.out = arguments.resume;
  answer.goes_on = !arguments.resume.empty() && answer.out == arguments.resume;
  answer.begins = arguments.resume.empty() && !exec::is_restarted(exec::process_environment);
  if (answer.out.empty() && !answer.force) number_folder(answer, cases.front());
  answer.kept_step = [&](const Case& each, const auto& folder) {
    return exec::step_to_go_on_from(folder, each, !options.elsewhere());
  };
  return train_cases(answer, cases, Mode::run, [&](const Case& each, const auto& folder) {
    if (metrics) metrics->begin();
    options.folder = folder;
    return run_case(arguments, options, each, progress_title("run", each, cases));
  });
}

int simulate(const SimulateArguments& arguments) {
  const Interruption interruption;
  if (!arguments.replay.empty()) {  // computes a run's weights again, in its order of inputs
    return replayed_case(answer_of(arguments, "replay"),
                         read_recorded(arguments, arguments.replay, "--out, --json"), sim::replay);
  }
  const std::vector<Case> cases = read_simulated(arguments, sim::asks_this_machine);
  DataSets data_sets;
  if (arguments.seeds) {
    return band_cases(answer_of(arguments, "simulate", fmt::format("seeds={}", *arguments.seeds)),
                      cases, *arguments.seeds, exec::usable_core_count(),
                      quietly(arguments, data_sets));
  }
  const auto train = [&](const Case& each, const auto& /*folder*/) {
    return simulate_case(arguments, each, data_sets, progress_title("simulate", each, cases));
  };
  return train_cases(answer_of(arguments, "simulate"), cases, Mode::simulate, train, keep_record);
}

int sweep(const SweepArguments& arguments) {
  const Interruption interruption;
  const bool simulates = arguments.mode == "simulate";
  const std::vector<Case> cases =
      simulates ? read_simulated(arguments, sim::asks_this_machine) : read_cases(arguments);
  SweepOptions options;
  options.mode = simulates ? Mode::simulate : Mode::run;
  options.jobs = arguments.jobs.value_or(simulates ? exec::usable_core_count() : 1);
  if (!arguments.machine.empty()) read_machine(arguments.machine);  // reports a wrong name
  if (!simulates && options.jobs > 1) {
    throw InputError(
        "--jobs: runs share this machine, so they are done one at a time; leave it out");
  }
  if (!arguments.shard.empty()) options.shard = parse_shard(arguments.shard);
  options.retry = arguments.retry;
  options.records = arguments.records;
  AskedTraining quiet = arguments;
  quiet.quiet = true;
  if (!options.records) quiet.rows = "summary";
  options.interrupted = Interruption::asked;
  DataSets data_sets;
  const auto run_one = [&](const Case& each) {
    return run_case(quiet, run_options_of(quiet), each);
  };
  options.train = simulates ? quietly(quiet, data_sets) : run_one;
  return sweep_cases(answer_of(arguments, "sweep", simulates ? "" : "mode=run"), cases,
                     std::move(options));
}

// Compares forecasts with measurements made elsewhere.
int forecast_measured(const ValidateArguments& arguments) {
  AskedTraining summary = arguments;
  summary.rows = "summary";
  const Interruption interruption;
  DataSets data_sets;
  return validate_against(
      arguments, {exec::usable_core_count(), overrides_of(arguments), quietly(summary, data_sets)});
}

int validate(const ValidateArguments& arguments) {
  if (!arguments.against.empty()) return forecast_measured(arguments);
  const std::vector<Case> cases = read_forecastable(arguments);
  exec::RunOptions options = run_options_of(arguments, arguments);
  const auto other =
      exec::take_part(cases, {.job_key = arguments.job_key}, options, exec::Trainings::as_told);
  if (other) return *other;
  const Interruption interruption;
  exec::idle(telling(arguments));
  if (arguments.machine.empty()) exec::forget_noisy(telling(arguments));
  DataSets data_sets;
  options.job_times = true;
  exec::GradientAlone alone;
  const Modes modes{
      [&](const Case& each) {
        const auto train = [&] { return run_case(arguments, options, each); };
        return options.elsewhere() ? train() : alone.around(each, train);
      },
      [&](const Case& each) {
        return simulate_case(arguments, each, data_sets, "simulate " + each.label());
      },
      sim::replay, [&](const Record& run) { return simulate_own_times(arguments, run, data_sets); },
      [&](const Record& run) {
        return alone.at_moment_of(run, [&](const Case& each, double slower) {
          return simulate_quietly(arguments, each, data_sets, nullptr, {}, slower);
        });
      }};
  return validate_cases(arguments, cases, modes,
                        {exec::this_processor(), exec::this_program().date, exec::kCommit, {}});
}

// Asks what limits one case. `record`: its record, or null if the scenario was given without one.
WhatIf ask_one(const WhatIfArguments& arguments, sim::WhatIfOptions options,
               const Case& scenario_case, const Record* record) {
  std::optional<Progress> progress(std::in_place, "whatif " + scenario_case.label(),
                                   arguments.quiet, "changes");  // removed before runs show a bar
  DataSets data_sets;
  const Prepared prepared = prepare(scenario_case, Need::shape, data_sets);
  options.simulate.machines = machines_for(arguments, prepared);
  options.simulate.emulated = arguments.emulate;
  options.simulate.interrupted = Interruption::asked;
  options.threads = exec::usable_core_count();
  options.progress = [&](std::int64_t done, std::int64_t all) {
    if (progress) progress->update(done, all);
    if (done == all) progress.reset();
  };
  options.repetitions = arguments.repetitions;
  if (!arguments.verify.empty()) {
    options.run = [&](const Case& each) {
      return run_case(arguments, run_options_of(arguments), each);
    };
  }
  return record != nullptr ? sim::ask_what_if(*record, prepared, data_sets, options)
                           : sim::ask_what_if(prepared, data_sets, options);
}

Limit limit_of(const AskedTraining& asked, const Case& each, DataSets& data_sets) {
  const Prepared prepared = prepare(each, Need::shape, data_sets);
  return sim::limit_of(prepared, machines_for(asked, prepared), data_sets);
}

// The inverse question: the cheapest cluster that meets deadline and budget.
int rent(const WhatIfArguments& arguments) {
  DataSets data_sets;
  BudgetOptions options;
  options.threads = exec::usable_core_count();
  options.simulate = quietly(arguments, data_sets);
  options.limit = [&](const Case& each) { return limit_of(arguments, each, data_sets); };
  return budget_cases(arguments, std::move(options));
}

int whatif(const WhatIfArguments& arguments) {
  const Interruption interruption;
  if (!arguments.deadline.empty()) return rent(arguments);
  std::optional<Record> record;  // set if the argument is the folder of a recorded training
  if (std::filesystem::is_directory(arguments.scenario)) {
    record = read_recorded(arguments, arguments.scenario,
                           "--machine, --emulate, --crossover, --verify, --repeat, --out, --json");
  }
  const auto cases = record ? std::vector{record->scenario_case}
                            : read_simulated(arguments, sim::asks_this_machine);
  sim::WhatIfOptions options;
  options.search = arguments.crossover;
  options.verify = arguments.verify == kBestChange ? "" : arguments.verify;
  sim::check_asked(cases, options);
  return whatif_cases(answer_of(arguments, "whatif"), cases, [&](const Case& each) {
    return ask_one(arguments, options, each, record ? &*record : nullptr);
  });
}

int import_any(const ImportArguments& arguments) {
  DataSets data_sets;
  return import_training(arguments, quietly({{}, arguments}, data_sets));
}

int calibrate(const CalibrateArguments& arguments) {
  std::vector<Case> cases;  // empty: the usual models are measured
  if (!arguments.scenario.empty()) cases = read_cases(arguments);
  const exec::Tell tell = telling(arguments);
  if (arguments.cluster) {
    const auto end = exec::calibrate_cluster({arguments.job_key, arguments.out, cases, tell});
    if (!end.file.empty()) print_result(fmt::format("cluster: {}\n", end.file.string()));
    return end.status;
  }
  std::string path = arguments.out.string();
  std::string notes;
  if (!arguments.from.empty()) {
    exec::Measurements measured{arguments.from, arguments.model, std::nullopt, arguments.machine};
    if (!cases.empty()) measured.scenario_case = cases.front();
    for (const std::string& note : exec::calibrate_from(path, measured)) notes += wrap(note);
  } else {
    const Interruption interruption;
    path = exec::calibrate_to(path, cases, tell).string();
    notes = wrap(machine_sentence(read_machine(path)));
  }
  tell(notes);
  print_result(fmt::format("machine: {}\n", path));
  return kDone;
}

int serve_page(const ServeArguments& arguments) {
  if (!arguments.machine.empty()) read_machine(arguments.machine);  // reports a wrong name
  const AskedTraining asked{{}, {}, "all", arguments.machine};
  const exec::Tell say_it = telling(asked);
  // Calibration, which takes minutes, runs concurrently with forecasts.
  const auto machines = [&](const Prepared& prepared) -> sim::MachineLookup {
    return [&](const std::string& name) {
      const bool kept = name.empty() && arguments.machine.empty();
      if (kept && !exec::kept_machine(prepared, false, say_it)) throw NotMeasured();
      return machines_for(asked, prepared)(name);
    };
  };
  const auto measure = [&](const Case& each, const serve::Tell& tell, const auto& stopped) {
    DataSets data_sets;
    const exec::Tell both = [&](const std::string& line) {
      say_it(line);
      tell(line);
    };
    exec::cached_machine(prepare(each, Need::shape, data_sets), false, both, stopped);
  };
  const serve::Processes processes{exec::start_this_program, exec::how_ended, exec::end_program};
  serve::serve_page({arguments.address, arguments.port, arguments.scenario, arguments.machine,
                     arguments.out, sim::forecaster(machines, exec::usable_core_count()), measure,
                     processes});
  return kDone;
}

}  // namespace

int main(int argc, char** argv) {
  if (const int no = exit_status([&] { return exec::choose_kernels(argv); })) return no;
  // An internal subcommand: the process of a node, which the launcher starts.
  if (argc > 1 && argv[1] == std::string("node")) {
    return exit_status([&]() -> int { return exec::node_main({argv + 2, argv + argc}); });
  }
  const Command commands[] = {
      new_command(),
      examples_command(),
      command("run", "train for real: one process per node, over TCP", run_options, run),
      command("simulate", "forecast a training by simulation in virtual time", simulate_options,
              simulate),
      command("validate", "run and simulate, print the forecast's errors", validate_options,
              validate),
      evaluate_command(),
      command("whatif", "find the bottleneck and what each change saves", whatif_options, whatif),
      command("import", "make a scenario from the trace of a PyTorch training", import_options,
              import_any),
      command("sweep", "simulate all cases of a scenario into one table; resumable", sweep_options,
              sweep),
      command("serve", "change a scenario in the browser and see its forecast", serve_options,
              serve_page),
      check_command(),
      report_command(limit_of),
      command("calibrate", "measure this machine for forecasts", calibrate_options, calibrate),
      data_command(),
      describe_command(),
  };
  return obey(commands, exec::build_and_kernels(), argc, argv);
}
