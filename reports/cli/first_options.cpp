// The words of the commands of the first minutes.
#include "reports/cli/options.h"
#include "scenarios/draft.h"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace foretrain {
namespace {

void add_file(CLI::App& command, Arguments& arguments, const char* what) {
  command.add_option("--out", arguments.out, what)->type_name("FILE");
  command.add_flag("--force", arguments.replaces, "replace the file where it is there");
}

}  // namespace

void new_options(CLI::App& command, Arguments& arguments) {
  Draft& draft = arguments.draft;
  command.add_option("--model", draft.model, "a network by name, such as lenet")->type_name("NAME");
  command
      .add_option("--data", draft.data,
                  "what it learns from: digits, images, clicks are drawn; idx, cifar10, libsvm, "
                  "criteo are files")
      ->type_name("FORMAT");
  command.add_option("--path", draft.path, "the folder of such files")->type_name("FOLDER");
  command
      .add_option("--cluster", draft.cluster,
                  "here: this machine; or hosts of the library, such as 'dgx-1 x 4'")
      ->type_name("HOSTS");
  std::vector<std::string> words;
  words.reserve(draft_questions().size());
  for (const DraftQuestion& question : draft_questions()) words.emplace_back(question.word);
  command.add_option("--question", draft.question, "what you want to know")
      ->check(CLI::IsMember(words));
  add_file(command, arguments, "the scenario (default: scenario.yaml)");
}

void examples_options(CLI::App& command, Arguments& arguments) {
  command.add_option(kScenarioWord, arguments.scenario,
                     "a name of the library (default: all are listed)");
  add_file(command, arguments, "copy it to FILE");
}

}  // namespace foretrain
