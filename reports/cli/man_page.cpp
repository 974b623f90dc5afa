#include "reports/cli/man_page.h"

#include "reports/cli/help_examples.h"

#include <fmt/format.h>

namespace foretrain {
namespace {

/// Backslashes and what roff reads as a request are made text; a hyphen stays what users type.
std::string roff(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '\\') {
      safe += "\\e";
    } else if (c == '-') {
      safe += "\\-";
    } else if (c == '\n') {
      safe += "\n.br\n";
    } else {
      safe += c;
    }
  }
  return safe.starts_with('.') || safe.starts_with('\'') ? "\\&" + safe : safe;
}

std::string synopsis(const DescribedCommand& command) {
  std::string text = ".B foretrain " + roff(command.path) + "\n";
  if (!command.subcommands.empty()) return text + ".I COMMAND\n";
  text += "[\\fIOPTION\\fR...]";
  for (const DescribedOption& positional : command.positionals) {
    const std::string name = "\\fI" + roff(positional.names.front()) + "\\fR";
    text += positional.required ? " " + name : " [" + name + "]";
  }
  return text + "\n";
}

std::string option_text(const DescribedOption& option) {
  std::string text = ".TP\n";
  for (std::size_t i = 0; i < option.names.size(); ++i) {
    text += fmt::format("{}\\fB{}\\fR", i > 0 ? ", " : "", roff(option.names[i]));
  }
  if (!option.value.empty() && option.names.front().starts_with('-')) {
    text += fmt::format(" \\fI{}\\fR", roff(option.value));
  }
  text += "\n" + roff(option.what);
  if (!option.choices.empty()) {
    text += ":";
    for (std::size_t i = 0; i < option.choices.size(); ++i) {
      text += fmt::format("{} {}", i > 0 ? "," : "", roff(option.choices[i]));
    }
  }
  return text + "\n";
}

std::string command_text(const DescribedCommand& command) {
  std::string text = ".SS foretrain " + roff(command.path) + "\n" + roff(command.what) + ".\n.PP\n";
  text += synopsis(command);
  for (const DescribedOption& positional : command.positionals) text += option_text(positional);
  for (const DescribedOption& option : command.options) {
    if (option.names.back() != "--help") text += option_text(option);
  }
  const std::vector<HelpExample> examples = help_examples(command.path);
  if (!examples.empty()) text += ".PP\nExamples:\n";
  for (const HelpExample& each : examples) {
    text += fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(each.line), roff(each.what));
  }
  return text;
}

constexpr const char* kAfter =
    ".SH EXIT STATUS\n"
    "0 done, 1 the training failed, or the disk or the output took no more, 2 the input is wrong, "
    "130 interrupted; the record so far is kept.\n"
    ".SH FILES\n"
    ".TP\n\\fIout/NAME/COMMAND\\fR, with \\-\\-set \\fIout/NAME/COMMAND\\-SETTINGS\\fR\n"
    "The record: run.json, steps.csv, evals.csv, usage.csv, inputs.bin, timeline.json (Perfetto), "
    "tensorboard/.\n"
    ".TP\n\\fI$XDG_CACHE_HOME/foretrain\\fR (~/.cache/foretrain)\n"
    "What calibration measured of this machine.\n"
    ".SH ENVIRONMENT\n"
    ".TP\nRANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT, and those of srun, mpirun\n"
    "This process is one of several tasks of a run.\n"
    ".TP\nFORETRAIN_JOB_KEY_FILE, FORETRAIN_JOB_KEY\n"
    "The secret that the tasks of a run show each other.\n"
    ".TP\nFORETRAIN_TLS, FORETRAIN_TLS_CERTIFICATE, FORETRAIN_TLS_KEY, FORETRAIN_TLS_AUTHORITY\n"
    "on or off, and files: as --tls and the options by these names say, for all tasks of a run.\n"
    ".TP\nFORETRAIN_KERNELS\n"
    "avx2 or avx512: the kernels of a package to compute with, else the largest of the processor.\n"
    ".TP\nFORETRAIN_LIBRARY\n"
    "The folder of the scenario library, where it is not the one that came with the program.\n"
    ".TP\nFORETRAIN_JOIN_LIMIT\n"
    "How long they wait for each other, as \"90 s\".\n"
    ".SH SEE ALSO\n"
    ".BR foretrain\\-scenario (5)\n";

std::string key_text(const KeyText& key) {
  std::string text = ".TP\n\\fB" + roff(key.path) + "\\fR\n" + roff(key.doc) + ".\n.br\n";
  text += roff(key.value);
  if (key.required) text += "; needed";
  if (!key.fallback.empty()) text += "; left out: " + roff(key.fallback);
  return text + "\n";
}

}  // namespace

std::string man_page(const std::vector<DescribedCommand>& commands, std::string_view version) {
  std::string text =
      fmt::format(".TH FORETRAIN 1 \"\" \"foretrain {}\" \"User Commands\"\n", version);
  text += ".SH NAME\nforetrain \\- distributed SGD over TCP, and its forecast in virtual time\n";
  text += ".SH SYNOPSIS\n.B foretrain\n.I COMMAND\n[\\fIOPTION\\fR...] [\\fISCENARIO\\fR]\n";
  text += ".SH DESCRIPTION\n" + roff(commands.front().what) + "\n";
  text += ".SH OPTIONS\n";
  for (const DescribedOption& option : commands.front().options) text += option_text(option);
  text += ".SH COMMANDS\n";
  for (std::size_t i = 1; i < commands.size(); ++i) text += command_text(commands[i]);
  return text + kAfter;
}

std::string scenario_man_page(const std::vector<KeyText>& keys,
                              const std::vector<std::string>& words, std::string_view version) {
  std::string text =
      fmt::format(".TH FORETRAIN\\-SCENARIO 5 \"\" \"foretrain {}\" \"File Formats\"\n", version);
  text += ".SH NAME\nforetrain\\-scenario \\- what foretrain trains, forecasts, compares\n";
  text += ".SH DESCRIPTION\n";
  for (const std::string& paragraph : words) text += ".PP\n" + roff(paragraph) + "\n";
  text += ".SH KEYS\n";
  for (const KeyText& key : keys) text += key_text(key);
  return text + ".SH SEE ALSO\n.BR foretrain (1)\n";
}

}  // namespace foretrain
