// The command line as a man page or as shell completion, tested in the installed shells.
#include "scenarios/library/library.h"
#include "scenarios/spec/reference.h"
#include "tests/cli/sandbox.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace foretrain {
namespace {

using testing::Called;
using testing::Sandbox;

/// The long options in the help of a command.
std::set<std::string> options_of(Sandbox& sandbox, const std::string& command) {
  std::set<std::string> options;
  const std::string help = sandbox.call(command + " --help").out;
  const std::regex option("\n  (?:-h,)?(--[a-z-]+)");
  for (std::sregex_iterator at(help.begin(), help.end(), option), end; at != end; ++at) {
    options.insert((*at)[1]);
  }
  REQUIRE(options.count("--help") == 1);
  return options;
}

std::set<std::string> words_of(const std::string& text) {
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), {}};
}

/// The output of a shell for a script that finds the program by its name; false if the shell is not
/// installed.
bool run_shell(Sandbox& sandbox, const std::string& shell, const std::string& script,
               std::string& out) {
  sandbox.write("script", script);
  const std::string place = sandbox.path("").string();
  const int status =
      std::system(fmt::format("cd '{}' && PATH='{}':$PATH {} script >shell.txt 2>&1", place,
                              std::filesystem::path(program_path()).parent_path().string(), shell)
                      .c_str());
  out = testing::text_of(sandbox.path("shell.txt"));
  if (WEXITSTATUS(status) == 127) {
    WARN("skipped: there is no " << shell << " here");
    return false;
  }
  CHECK(WEXITSTATUS(status) == 0);
  return true;
}

/// bash script that prints the completions of `words`, of which the last may be incomplete.
std::string asked(const std::string& words) {
  return fmt::format(
      "COMP_WORDS=({}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _foretrain; "
      "echo \"${{COMPREPLY[@]}}\"\n",
      words);
}

TEST_CASE("describe: bash completes every option that help names") {
  Sandbox sandbox;
  std::string script = sandbox.call("describe bash").out;
  const std::vector<std::string> commands = sandbox.commands();
  REQUIRE(commands.size() > 10);
  for (const std::string& command : commands) script += asked("foretrain " + command + " --");
  std::string out;
  if (!run_shell(sandbox, "bash", script, out)) return;
  std::istringstream lines(out);
  for (const std::string& command : commands) {
    CAPTURE(command);
    std::string line;
    REQUIRE(std::getline(lines, line));
    CHECK(words_of(line) == options_of(sandbox, command));
  }
}

TEST_CASE("describe: bash completes commands, values of which there are few, else files") {
  Sandbox sandbox;
  const std::string script = sandbox.call("describe bash").out + asked("foretrain ''") +
                             asked("foretrain val") + asked("foretrain data v") +
                             asked("foretrain run --record s") + asked("foretrain describe ''") +
                             asked("foretrain run qui") + asked("foretrain run --out --") +
                             asked("foretrain new --model llama-3-8");
  std::string out;
  if (!run_shell(sandbox, "bash", script, out)) return;
  std::istringstream lines(out);
  std::vector<std::string> answers;
  for (std::string line; std::getline(lines, line);) answers.push_back(line);
  REQUIRE(answers.size() == 8);
  for (const std::string& command : sandbox.commands()) {
    const bool below = command.find(' ') != std::string::npos;
    CHECK(words_of(answers[0]).count(command) == (below ? 0 : 1));
  }
  CHECK(answers[1] == "validate");
  CHECK(answers[2] == "verify");
  CHECK(answers[3] == "summary");
  CHECK(answers[4] == "man man-scenario keys bash zsh fish hardware networks words");
  CHECK(answers[5] == "quickstart");
  CHECK(answers[6].empty());
  CHECK(answers[7] == "llama-3-8b");
}

TEST_CASE("describe: where a scenario is asked for, bash completes the library beside files") {
  Sandbox sandbox;
  const std::string script = sandbox.call("describe bash").out + asked("foretrain simulate s") +
                             asked("foretrain whatif studies/sl") +
                             asked("foretrain examples described_c") +
                             asked("foretrain simulate --machine s") + asked("foretrain data qui") +
                             asked("foretrain simulate --record ''");
  std::string out;
  if (!run_shell(sandbox, "bash", script, out)) return;
  std::istringstream lines(out);
  std::vector<std::string> answers;
  for (std::string line; std::getline(lines, line);) answers.push_back(line);
  REQUIRE(answers.size() == 6);
  const std::set<std::string> words = words_of(answers[0]);
  CHECK(words.count("small.yaml") == 1);
  CHECK(words.count("studies/slow_worker") == 1);
  CHECK(words.count("quickstart") == 0);
  CHECK(answers[1] == "studies/slow_worker");
  CHECK(answers[2] == "described_cluster");
  CHECK(answers[3].empty());
  CHECK(answers[4].empty());
  CHECK(words_of(answers[5]) == std::set<std::string>{"all", "summary"});
}

TEST_CASE("describe: bash completes the keys of scenarios where one is set") {
  Sandbox sandbox;
  const std::string script = sandbox.call("describe bash").out +
                             asked("foretrain simulate quickstart --set training.wor") +
                             asked("foretrain sweep quickstart --set ''");
  std::string out;
  if (!run_shell(sandbox, "bash", script, out)) return;
  std::istringstream lines(out);
  std::vector<std::string> answers;
  for (std::string line; std::getline(lines, line);) answers.push_back(line);
  REQUIRE(answers.size() == 2);
  CHECK(answers[0] == "training.workers=");
  const std::set<std::string> words = words_of(answers[1]);
  CHECK(words.count("training.optimizer.learning_rate=") == 1);
  CHECK(words.count("seed=") == 1);
}

TEST_CASE("describe: zsh is told values with what they are") {
  Sandbox sandbox;
  // Zsh's own function needs a terminal; this one prints its arguments.
  std::string script = "_describe() { print -r -- $lines $suffix }\n";
  sandbox.write("completion", sandbox.call("describe zsh").out);
  for (const char* words : {"val", "run --met", "run --record s", "run --set training.wor"}) {
    script += fmt::format("words=(foretrain {}); CURRENT=$#words; source ./completion\n", words);
  }
  std::string out;
  if (!run_shell(sandbox, "zsh -f", script, out)) return;
  CHECK(out.find("validate:both") != std::string::npos);
  CHECK(out.find("--metrics:serve") != std::string::npos);
  CHECK(out.find("summary") != std::string::npos);
  CHECK(out.find("training.workers= -S") != std::string::npos);
}

TEST_CASE("describe: fish completes commands, options, values") {
  Sandbox sandbox;
  sandbox.write("completion", sandbox.call("describe fish").out);
  std::string out;
  if (!run_shell(sandbox, "fish --no-config",
                 "source ./completion\n"
                 "complete -C 'foretrain val'\ncomplete -C 'foretrain run --met'\n"
                 "complete -C 'foretrain run --record s'\ncomplete -C 'foretrain describe z'\n"
                 "complete -C 'foretrain simulate studies/sl'\n"
                 "complete -C 'foretrain run --set training.wor'\n",
                 out)) {
    return;
  }
  CHECK(out.find("validate\tboth") != std::string::npos);
  CHECK(out.find("--metrics\tserve") != std::string::npos);
  CHECK(out.find("summary") != std::string::npos);
  CHECK(out.find("zsh") != std::string::npos);
  CHECK(out.find("studies/slow_worker") != std::string::npos);
  CHECK(out.find("training.workers=") != std::string::npos);
}

TEST_CASE("describe: the man page names every command with its options, without a fault of roff") {
  Sandbox sandbox;
  const std::string page = sandbox.call("describe man").out;
  CHECK(page.find(".TH FORETRAIN 1") == 0);
  for (const std::string& command : sandbox.commands()) {
    const std::size_t from = page.find("\n.SS foretrain " + command + "\n");
    REQUIRE(from != std::string::npos);
    const std::string part = page.substr(from, page.find("\n.SS ", from + 1) - from);
    for (std::string option : options_of(sandbox, command)) {
      CAPTURE(command, option);
      if (option == "--help") continue;
      option = std::regex_replace(option, std::regex("-"), "\\-");
      CHECK(part.find(option) != std::string::npos);
    }
  }
  std::string out;
  sandbox.write("page", page);
  if (run_shell(sandbox, "groff -man -ww -Tutf8 -z page; true", "", out)) CHECK(out.empty());
}

TEST_CASE("describe: every key of a scenario is in its man page, without a fault of roff") {
  Sandbox sandbox;
  const std::string page = sandbox.call("describe man-scenario").out;
  CHECK(page.find(".TH FORETRAIN\\-SCENARIO 5") == 0);
  const std::vector<std::string> keys = scenario_keys();
  REQUIRE(keys.size() > 200);
  for (const std::string& key : keys) {
    CAPTURE(key);
    CHECK(page.find("\n.TP\n\\fB" + key + "\\fR\n") != std::string::npos);
  }
  std::string out;
  sandbox.write("page", page);
  if (run_shell(sandbox, "groff -man -ww -Tutf8 -z page; true", "", out)) CHECK(out.empty());
}

TEST_CASE("describe: keys prints the reference as Markdown") {
  Sandbox sandbox;
  const Called called = sandbox.call("describe keys");
  CHECK(called.status == 0);
  CHECK(called.out == reference_markdown());
}

TEST_CASE("describe: hardware has a line for every host of the library, none too wide") {
  Sandbox sandbox;
  const Called called = sandbox.call("describe hardware");
  CHECK(called.status == 0);
  std::set<std::string> hosts;
  std::istringstream lines(called.out);
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    CHECK(line.size() <= 80);
    hosts.insert(line.substr(0, line.find(' ')));
  }
  for (const auto& file :
       std::filesystem::directory_iterator(source_dir() + "/scenarios/hardware")) {
    if (file.path().extension() != ".yaml") continue;
    CAPTURE(file.path());
    CHECK(hosts.count(file.path().stem().string()) == 1);
  }
  CHECK(
      called.out.find("\nn1-p100         alexnet at 512; resnet50 at 32, 64; vgg16 at 32, 64\n") !=
      std::string::npos);
}

TEST_CASE("describe: networks has a line for every network of the library, none too wide") {
  Sandbox sandbox;
  const Called called = sandbox.call("describe networks");
  CHECK(called.status == 0);
  std::map<std::string, std::vector<std::string>> rows;
  std::istringstream lines(called.out);
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    CHECK(line.size() <= 80);
    std::istringstream words(line);
    std::string name;
    words >> name;
    rows[name] = {std::istream_iterator<std::string>(words), {}};
  }
  for (const std::string& name : library_names("networks")) {
    CAPTURE(name);
    CHECK(rows.count(name) == 1);
  }
  using Row = std::vector<std::string>;
  // 2 x 7,504,924,672 parameters of matrices x 8,192 tokens, and half of 32 x 4 x 8,192^2 x 4,096.
  CHECK(rows["llama-3-8b"] == Row{"llama", "8,030,261,248", "32", "4,096", "8,192", "140,549"});
  CHECK(rows["llama-3-405b"].at(4) == "131,072");
  CHECK(rows["resnet50"] == Row{"convolutions", "25,557,032", "18", "-", "224", "px", "8.2"});
  CHECK(called.out.find("model: {config: config.json}") != std::string::npos);
}

}  // namespace
}  // namespace foretrain
