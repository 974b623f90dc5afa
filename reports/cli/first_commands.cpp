#include "reports/cli/first_commands.h"

#include "models/networks/registry.h"
#include "reports/record/files.h"
#include "reports/record/tell_people.h"
#include "reports/record/text.h"
#include "scenarios/examples.h"
#include "scenarios/input_error.h"
#include "scenarios/library.h"
#include "scenarios/like.h"
#include "scenarios/read.h"
#include "scenarios/yaml/text_guard.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <system_error>
#include <utility>

namespace foretrain {
namespace {

constexpr const char* kFirstFile = "scenario.yaml";

/// A file that is there is somebody's work.
void refuse_existing(const std::string& file, bool replace) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) {
    throw InputError(file + ": a folder; name a file in it");
  }
  if (replace || !std::filesystem::exists(file, ignored)) return;
  throw InputError(file + " is there already; name another file by --out, or --force");
}

/// One thing that is asked.
struct Asked {
  const char* name;
  std::string Draft::*answer;
  std::string (*what)(const Draft& draft);
};

std::string ask_question(const Draft& /*draft*/) {
  std::string text = "What do you want to know?\n";
  for (const DraftQuestion& question : draft_questions()) {
    text += fmt::format("  {:<12}{}\n", question.word, question.asks);
  }
  return text;
}

const Asked kAsked[] = {
    {"model", &Draft::model,
     [](const Draft& /*draft*/) {
       return wrap(
           fmt::format("What is trained? {}; one of your own, in PyTorch: foretrain import.",
                       fmt::join(network_names(), ", ")));
     }},
    {"data", &Draft::data,
     [](const Draft& draft) {
       std::string text = "What does it learn from?\n";
       for (const std::string& format : formats_for(draft.model)) {
         text += fmt::format("  {:<12}{}\n", format,
                             is_drawn(format) ? "drawn by the program" : "files of yours");
       }
       return text;
     }},
    {"path", &Draft::path,
     [](const Draft& draft) {
       return fmt::format("In which folder are its {} files?\n", draft.data);
     }},
    {"cluster", &Draft::cluster,
     [](const Draft& /*draft*/) {
       return wrap(
           fmt::format("Where? {}: on this machine; or on hosts of the library, such as "
                       "dgx-1 x 4: {}.",
                       kHere, fmt::join(library_names("hardware"), ", ")));
     }},
    {"question", &Draft::question, ask_question},
};

/// Whether nothing is left to ask.
bool is_whole(const Draft& draft) {
  return std::ranges::none_of(kAsked, [&](const Asked& each) {
    const bool needed = each.answer != &Draft::path || !is_drawn(draft.data);
    return needed && (draft.*each.answer).empty();
  });
}

std::string trim_line(const std::string& line) {
  const std::size_t begin = line.find_first_not_of(" \t\r");
  if (begin == std::string::npos) return {};
  return line.substr(begin, line.find_last_not_of(" \t\r") - begin + 1);
}

std::string list_examples() {
  constexpr std::size_t kNameColumns = 29;
  std::string text = wrap(
      "Scenarios that come with foretrain. A name stands for its file: foretrain simulate "
      "quickstart.");
  text += '\n';
  for (const Example& example : library_examples()) {
    text += hang(fmt::format("{:<{}} {}\n", example.name, kNameColumns - 1, example.question),
                 kNameColumns);
  }
  return text + "\n" +
         wrap(
             "foretrain examples NAME prints one; with --out FILE it is yours to change. "
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

Draft ask_draft(Draft draft, std::istream& in, const std::function<void(const std::string&)>& say) {
  for (const Asked& each : kAsked) {
    std::string& answer = draft.*each.answer;
    if (!answer.empty() || (each.answer == &Draft::path && is_drawn(draft.data))) continue;
    const std::string proposed = completed_draft(draft).*each.answer;
    say("\n" + each.what(draft));
    for (bool good = false; !good;) {
      say(fmt::format("{} [{}]: ", each.name, proposed));
      std::string line;
      if (!std::getline(in, line)) throw InputError("new: there is no answer; nothing is written");
      line = trim_line(line);
      answer = line.empty() ? proposed : line;
      try {
        check_draft(draft);
        good = true;
      } catch (const InputError& error) {
        say(wrap(error.what()));
      }
    }
  }
  return draft;
}

int new_scenario(const Arguments& arguments) {
  const std::string file = arguments.out.empty() ? kFirstFile : arguments.out;
  refuse_existing(file, arguments.replaces);
  Draft draft = arguments.draft;
  check_draft(draft);
  if (!is_whole(draft) && isatty(STDIN_FILENO) != 0) {
    draft = ask_draft(std::move(draft), std::cin, tell_people);
  }
  draft = completed_draft(std::move(draft));
  const std::string text = draft_yaml(draft, file);
  parse_scenario(text, file);  // nothing is written that could not be read
  write_text_file(file, text);
  print_result(fmt::format("written: {}\n", file));
  const char* mark = "next:";
  for (const NextCommand& next : next_commands(draft, file)) {
    print_result(fmt::format("{:<9}{:<44} # {}\n", mark, next.command, next.what));
    mark = "";
  }
  return kDone;
}

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

}  // namespace foretrain
