// The command `new`: its words, what it asks, the scenario that it writes.
#include "models/networks/registry.h"
#include "reports/cli/acts.h"
#include "reports/cli/command_options.h"
#include "reports/cli/folders.h"
#include "reports/record/files.h"
#include "reports/record/stderr_note.h"
#include "reports/record/wrapped_text.h"
#include "scenarios/language/input_error.h"
#include "scenarios/library/library.h"
#include "scenarios/library/scaffold.h"
#include "scenarios/resolve/read.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

namespace foretrain {
namespace {

constexpr const char* kFirstFile = "scenario.yaml";

/// One thing that is asked.
struct Asked {
  const char* name;
  std::string Scaffold::*answer;
  std::string (*what)(const Scaffold& scaffold);
};

std::string ask_question(const Scaffold& /*draft*/) {
  std::string text = "What do you want to know?\n";
  for (const ScaffoldQuestion& question : scaffold_questions()) {
    text += fmt::format("  {:<12}{}\n", question.word, question.asks);
  }
  return text;
}

const Asked kAsked[] = {
    {"model", &Scaffold::model,
     [](const Scaffold& /*draft*/) {
       return wrap(
           fmt::format("What is trained? {}; one of your own, in PyTorch: foretrain import.",
                       fmt::join(network_names(), ", ")));
     }},
    {"data", &Scaffold::data,
     [](const Scaffold& scaffold) {
       std::string text = "What does it learn from?\n";
       for (const std::string& format : formats_for(scaffold.model)) {
         text += fmt::format("  {:<12}{}\n", format,
                             is_drawn(format) ? "drawn by the program" : "files of yours");
       }
       return text;
     }},
    {"path", &Scaffold::path,
     [](const Scaffold& scaffold) {
       return fmt::format("In which folder are its {} files?\n", scaffold.data);
     }},
    {"cluster", &Scaffold::cluster,
     [](const Scaffold& /*draft*/) {
       return wrap(
           fmt::format("Where? {}: on this machine; or on hosts of the library, such as "
                       "dgx-1 x 4: {}.",
                       kHere, fmt::join(library_names("hardware"), ", ")));
     }},
    {"question", &Scaffold::question, ask_question},
};

/// Whether nothing is left to ask.
bool is_whole(const Scaffold& scaffold) {
  return std::ranges::none_of(kAsked, [&](const Asked& each) {
    const bool needed = each.answer != &Scaffold::path || !is_drawn(scaffold.data);
    return needed && (scaffold.*each.answer).empty();
  });
}

std::string trim_line(const std::string& line) {
  const std::size_t begin = line.find_first_not_of(" \t\r");
  if (begin == std::string::npos) return {};
  return line.substr(begin, line.find_last_not_of(" \t\r") - begin + 1);
}

}  // namespace

void new_options(CLI::App& command, Arguments& arguments) {
  Scaffold& scaffold = arguments.scaffold;
  command.add_option("--model", scaffold.model, "a network by name, such as lenet")
      ->type_name("NAME");
  command
      .add_option("--data", scaffold.data,
                  "what it learns from: digits, images, clicks are drawn; idx, cifar10, libsvm, "
                  "criteo are files")
      ->type_name("FORMAT");
  command.add_option("--path", scaffold.path, "the folder of such files")->type_name("FOLDER");
  command
      .add_option("--cluster", scaffold.cluster,
                  "here: this machine; or hosts of the library, such as 'dgx-1 x 4'")
      ->type_name("HOSTS");
  std::vector<std::string> words;
  words.reserve(scaffold_questions().size());
  for (const ScaffoldQuestion& question : scaffold_questions()) words.emplace_back(question.word);
  command.add_option("--question", scaffold.question, "what you want to know")
      ->check(CLI::IsMember(words));
  command.add_option("--out", arguments.out, "the scenario (default: scenario.yaml)")
      ->type_name("FILE");
  command.add_flag("--force", arguments.replaces, "replace the file where it is there");
}

Scaffold ask_scaffold(Scaffold scaffold, std::istream& in,
                      const std::function<void(const std::string&)>& say) {
  for (const Asked& each : kAsked) {
    std::string& answer = scaffold.*each.answer;
    if (!answer.empty() || (each.answer == &Scaffold::path && is_drawn(scaffold.data))) continue;
    const std::string proposed = completed_scaffold(scaffold).*each.answer;
    say("\n" + each.what(scaffold));
    for (bool good = false; !good;) {
      say(fmt::format("{} [{}]: ", each.name, proposed));
      std::string line;
      if (!std::getline(in, line)) throw InputError("new: there is no answer; nothing is written");
      line = trim_line(line);
      answer = line.empty() ? proposed : line;
      try {
        check_scaffold(scaffold);
        good = true;
      } catch (const InputError& error) {
        say(wrap(error.what()));
      }
    }
  }
  return scaffold;
}

int new_scenario(const Arguments& arguments) {
  const std::string file = arguments.out.empty() ? kFirstFile : arguments.out;
  refuse_existing(file, arguments.replaces);
  Scaffold scaffold = arguments.scaffold;
  check_scaffold(scaffold);
  if (!is_whole(scaffold) && isatty(STDIN_FILENO) != 0) {
    scaffold = ask_scaffold(std::move(scaffold), std::cin, stderr_note);
  }
  scaffold = completed_scaffold(std::move(scaffold));
  const std::string text = scaffold_yaml(scaffold, file);
  parse_scenario(text, file);  // nothing is written that could not be read
  write_text_file(file, text);
  print_result(fmt::format("written: {}\n", file));
  const char* mark = "next:";
  for (const NextCommand& next : next_commands(scaffold, file)) {
    print_result(fmt::format("{:<9}{:<44} # {}\n", mark, next.command, next.what));
    mark = "";
  }
  return kDone;
}

}  // namespace foretrain
