// The commands that train nothing: examples, check, report, evaluate, data.
#include "models/data/open_data.h"
#include "reports/cli/arguments.h"
#include "reports/cli/command_line.h"
#include "reports/cli/folders.h"
#include "reports/record/files.h"
#include "reports/record/wrapped_text.h"
#include "reports/show/figures/of_records.h"
#include "reports/show/page/page_report.h"
#include "reports/show/page/result_page.h"
#include "reports/show/terminal/case_text.h"
#include "reports/show/terminal/progress.h"
#include "reports/show/terminal/result_text.h"
#include "reports/show/terminal/tables.h"
#include "reports/studies/trainings/trainings_result.h"
#include "reports/studies/worksheet/worksheet.h"
#include "scenarios/language/input_error.h"
#include "scenarios/language/text_guard.h"
#include "scenarios/library/library.h"
#include "scenarios/resolve/check_case.h"
#include "scenarios/resolve/prepared.h"
#include "scenarios/resolve/read.h"
#include "scenarios/spec/reference.h"
#include "scenarios/weights/weights.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

namespace foretrain {

namespace {

int print(const std::string& answer) {
  print_result(answer);
  return kDone;
}

std::string list_examples() {
  constexpr std::size_t kNameColumns = 29;
  std::string text = wrap(
      "Scenarios that come with foretrain. Use a name in place of a file: foretrain simulate "
      "quickstart.");
  text += '\n';
  for (const Example& example : library_examples()) {
    text += hang(fmt::format("{:<{}} {}\n", example.name, kNameColumns - 1, example.question),
                 kNameColumns);
  }
  return text + "\n" +
         wrap(
             "foretrain examples NAME prints one; with --out FILE it is copied for you to change. "
             "foretrain new writes one for your training.");
}

/// The text of the library's scenario with that name. @throws InputError that proposes a name
std::string text_of_example(const std::string& name) {
  const std::vector<Example> all = library_examples();
  if (std::ranges::find(all, name, &Example::name) == all.end()) {
    throw InputError(no_such_scenario(name));
  }
  return read_text((library_folder() / (name + ".yaml")).string());
}

struct ExamplesArguments : Output {
  std::string scenario;  ///< a name from the library; empty: all are listed
};

void examples_options(CLI::App& command, ExamplesArguments& arguments) {
  command.add_option(kScenarioWord, arguments.scenario,
                     "a name of the library (default: all are listed)");
  command.add_option("--out", arguments.out, "copy it to FILE")->type_name("FILE");
  command.add_flag("--force", arguments.force, kReplaceFile);
}

int examples(const ExamplesArguments& arguments) {
  if (arguments.scenario.empty()) return print(list_examples());
  const std::string text = text_of_example(arguments.scenario);
  const std::string file = arguments.out.string();
  if (file.empty()) return print(text);
  refuse_existing(file, arguments.force);
  write_text_file(file, text);
  return print(fmt::format("written: {0}\nnext:    foretrain check {0}\n", file));
}

struct CheckArguments : AskedScenario {
  bool schema = false;
  bool graph = false;
};

void check_options(CLI::App& command, CheckArguments& arguments) {
  add_scenario(command, arguments, false);
  auto* schema =
      command.add_flag("--schema", arguments.schema, "print the JSON schema of scenarios instead");
  command.add_flag("--graph", arguments.graph, "print the step graph instead, as a table");
  for (const char* other : {kScenarioWord, "--set", "--seed", "--graph"}) {
    schema->excludes(command.get_option(other));
  }
}

int check(const CheckArguments& arguments) {
  if (arguments.schema) return print(scenario_schema());
  DataSets data_sets;
  for (const Case& each : read_cases(arguments)) {
    // As a comment, so that the output is a valid scenario.
    if (!arguments.graph || !each.settings.empty()) print(as_comment(case_sentence(each), "# "));
    print((arguments.graph ? step_text(each, data_sets) : to_yaml(each.scenario)) + "\n");
    check_named(each, data_sets);
  }
  return kDone;
}

struct ReportArguments : AskedTraining {
  std::vector<std::string> records;
  bool worksheet = false;
  bool answers = false;
};

void report_options(CLI::App& command, ReportArguments& arguments) {
  command.add_option(
      "records", arguments.records,
      "folders written by run, simulate, validate, sweep or whatif; outputs of whatif --json");
  add_output(command, arguments, "out/report; with --worksheet out/worksheet or out/answers");
  add_full(command, arguments);
  auto* worksheet = command.add_flag(
      "--worksheet", arguments.worksheet,
      "a page to print for a class: each case with forecast, measurement, questions, blank lines");
  auto* answers =
      command.add_flag("--answers", arguments.answers,
                       "with --worksheet: errors, and what limits each case, simulated");
  answers->needs(worksheet);
  command.add_option("--machine", arguments.machine, kMachine)->needs(answers);
  command.add_flag("--json", arguments.json, kJson)->needs(worksheet);
}

/// Writes the worksheet into `folder`, prints it. Returns the lines of write_page.
std::string write_worksheet(const ReportArguments& arguments, const Found& found,
                            const std::filesystem::path& folder, const LimitOf& limit) {
  std::vector<WorksheetCase> cases = worksheet_cases(found.records);
  if (arguments.answers) {
    Progress progress("answers", arguments.quiet, "cases");
    DataSets data_sets;
    std::int64_t done = 0;
    for (WorksheetCase& each : cases) {
      each.limit = limit(arguments, each.first().scenario_case, data_sets);
      progress.update(++done, std::ssize(cases));
    }
  }
  const Result result = result_of(cases);
  if (arguments.json) print_json(to_json(cases));
  arguments.tell(to_text(result, arguments.full));
  Page page = result_page(
      names_of(found.records) + (arguments.answers ? ": answers" : ": worksheet"), result, {});
  if (!arguments.answers) page.question = "Name: ______________________  Date: ______________";
  return write_page(page, folder);
}

int report(const ReportArguments& arguments, const LimitOf& limit) {
  if (arguments.records.empty()) {
    throw InputError(
        "report: no folder was named; name folders that run, simulate, validate, sweep or whatif "
        "wrote");
  }
  const char* usual = arguments.worksheet ? "out/worksheet" : "out/report";
  if (arguments.answers) usual = "out/answers";
  const std::filesystem::path out = arguments.out.empty() ? usual : arguments.out;
  std::error_code error;
  const bool of_itself = arguments.records.size() == 1 &&
                         std::filesystem::equivalent(arguments.records.front(), out, error);
  if (!of_itself && std::filesystem::exists(out / kRunFile)) {
    throw InputError(fmt::format(
        "{}: already holds the record of a training, whose page would be replaced; name another "
        "folder with --out",
        out.string()));
  }
  Found found;
  found.every_run = arguments.worksheet;
  for (const std::string& folder : arguments.records) add_folder(folder, found);
  if (arguments.worksheet) {
    arguments.tell(write_worksheet(arguments, found, out, limit));
    return kDone;
  }
  if (!found.records.empty()) {
    print_result(to_text(result_of(found.records, found.builds), arguments.full) + "\n");
  }
  const EarlierFiles earlier(out);
  const std::string files = write_page(page_of(found), out, true);
  if (!of_itself) earlier.tell(arguments);
  return print(files);
}

struct DataArguments {
  std::string command;  ///< list | verify
  std::string path;
};

void data_options(CLI::App& command, DataArguments& arguments) {
  command.require_subcommand(1);
  const auto add = [&](const char* name, const char* what) {
    CLI::App* added = command.add_subcommand(name, what);
    added->callback([&arguments, name] { arguments.command = name; });
    return added;
  };
  add("list", "list the formats of data sets");
  add("verify", "read all of a data set and print what it contains")
      ->add_option("path", arguments.path, "the folder of its files")
      ->required();
}

int data(const DataArguments& arguments) {
  if (arguments.command == "list") {
    return print(fmt::format("A scenario's dataset: has one of {} formats.\n\n{}",
                             data_formats().size(), hang(describe_formats(), 9)));
  }
  constexpr std::size_t kNames = 11;  // width of the names in describe_data, in columns
  return print(wrap(fmt::format("All of {} was read and is correct.", arguments.path)) + "\n" +
               hang(describe_data(arguments.path), kNames));
}

struct EvaluateArguments : AskedScenario, Output {
  std::string weights;  ///< path of their file
};

void evaluate_options(CLI::App& command, EvaluateArguments& arguments) {
  add_scenario(command, arguments);
  command
      .add_option("--weights", arguments.weights, "a .safetensors file, as run --save writes it")
      ->required()
      ->type_name("FILE");
  command.add_flag("--json", arguments.json, kJson);
}

int evaluate(const EvaluateArguments& arguments) {
  const std::vector<Case> cases = read_cases(arguments);
  DataSets data_sets;
  for (const Case& each : cases) {
    const Prepared prepared = prepare(each, Need::examples, data_sets);
    const Network& network = *prepared.training->network;
    const Weights weights = read_weights(arguments.weights, network);
    const auto workspace =
        network.make_workspace(Stream(each.scenario.seed, "evaluate"), weights.statistics);
    const std::int64_t examples = prepared.training->test_examples;
    Serial serial;
    const Score score = network.evaluate(weights.parameters, *prepared.training->data->test, 0,
                                         examples, *workspace, serial);
    const auto count = static_cast<double>(examples);
    const double loss = score.loss / count;
    const double accuracy = static_cast<double>(score.correct) / count;
    if (arguments.json) {
      nlohmann::ordered_json json{{"scenario", each.scenario.name},
                                  {"weights", arguments.weights},
                                  {"test_examples", examples},
                                  {"loss", loss},
                                  {"accuracy", accuracy}};
      if (!std::isnan(score.auc)) json["auc"] = score.auc;
      print_json(json);
      continue;
    }
    std::string text =
        fmt::format("{}: accuracy {:.4f}, loss {:.4f} nats", each.label(), accuracy, loss);
    if (!std::isnan(score.auc)) text += fmt::format(", AUC {:.4f}", score.auc);
    print(fmt::format("{}, over {} test examples\n", text, examples));
  }
  return kDone;
}

}  // namespace

Command examples_command() {
  return command("examples", "list, print or copy scenarios of the library", examples_options,
                 examples);
}

Command check_command() {
  return command("check", "check a scenario and print it with all defaults", check_options, check);
}

Command report_command(const LimitOf& limit) {
  return {"report", "figures and an HTML page from recorded results", [=](CLI::App& app) {
            auto arguments = std::make_shared<ReportArguments>();
            report_options(app, *arguments);
            return [=] { return report(*arguments, limit); };
          }};
}

Command data_command() {
  return command("data", "list formats of data sets, verify one", data_options, data);
}

Command evaluate_command() {
  return command("evaluate", "accuracy and loss of saved weights on the test set", evaluate_options,
                 evaluate);
}

}  // namespace foretrain
