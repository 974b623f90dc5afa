// The commands that train nothing: examples, check, report, evaluate, data.
#include "models/data/open_data.h"
#include "reports/cli/acts.h"
#include "reports/cli/folders.h"
#include "reports/record/files.h"
#include "reports/record/wrapped_text.h"
#include "reports/show/page/page_report.h"
#include "reports/show/terminal/case_text.h"
#include "reports/show/terminal/result_text.h"
#include "reports/show/terminal/tables.h"
#include "reports/studies/trainings/trainings_result.h"
#include "scenarios/language/input_error.h"
#include "scenarios/language/text_guard.h"
#include "scenarios/library/library.h"
#include "scenarios/resolve/check_case.h"
#include "scenarios/resolve/prepared.h"
#include "scenarios/resolve/read.h"
#include "scenarios/spec/reference.h"
#include "scenarios/weights/weights.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>

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

/// The library's file of that name. @throws InputError that proposes one
std::string text_of_example(const std::string& name) {
  const std::vector<Example> all = library_examples();
  if (std::ranges::find(all, name, &Example::name) == all.end()) {
    throw InputError(no_such_scenario(name));
  }
  return read_text((library_folder() / (name + ".yaml")).string());
}

}  // namespace

int examples(const Arguments& arguments) {
  if (arguments.scenario.empty()) {
    print_result(list_examples());
    return kDone;
  }
  const std::string text = text_of_example(arguments.scenario);
  if (arguments.out.empty()) {
    print_result(text);
    return kDone;
  }
  refuse_existing(arguments.out, arguments.replaces);
  write_text_file(arguments.out, text);
  print_result(fmt::format("written: {0}\nnext:    foretrain check {0}\n", arguments.out));
  return kDone;
}

int check(const Arguments& arguments) {
  if (arguments.schema) return print(scenario_schema());
  DataSets data_sets;
  for (const Case& each : read_cases(arguments)) {
    // In a comment: what is printed can be read again.
    if (!arguments.graph || !each.settings.empty()) print(as_comment(case_sentence(each), "# "));
    print((arguments.graph ? step_text(each, data_sets) : to_yaml(each.scenario)) + "\n");
    check_named(each, data_sets);
  }
  return kDone;
}

int report(const Arguments& arguments) {
  if (arguments.records.empty()) {
    throw InputError(
        "report: no folder was named; name folders that run, simulate, validate, sweep or whatif "
        "wrote");
  }
  const std::filesystem::path out = arguments.out.empty() ? "out/report" : arguments.out;
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
  for (const std::string& folder : arguments.records) add_folder(folder, found);
  if (!found.records.empty()) {
    print_result(to_text(result_of(found.records, found.builds), arguments.full) + "\n");
  }
  const EarlierFiles earlier(out);
  const std::string files = write_report(page_of(found), out);
  if (!of_itself) earlier.tell(answer_of(arguments, "report"));
  return print(files);
}

int data(const Arguments& arguments) {
  if (arguments.data_command == "list") {
    return print(fmt::format("A scenario's dataset: has one of {} formats.\n\n{}",
                             data_formats().size(), hang(describe_formats(), 9)));
  }
  constexpr std::size_t kNames = 11;  // columns of the names in front, as models/data has them
  return print(wrap(fmt::format("All of {} was read and is correct.", arguments.data_path)) + "\n" +
               hang(describe_data(arguments.data_path), kNames));
}

int evaluate(const Arguments& arguments) {
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

}  // namespace foretrain
