// The man pages of the program, of its scenarios.
#include "reports/cli/describe.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <sstream>

namespace foretrain {
namespace {

/// Escapes text for roff; hyphens stay as users type them.
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

/// The help of a command and of its subcommands, with its layout.
std::string command_text(const CLI::App& command, const std::string& above) {
  const std::string name = above + " " + command.get_name();
  std::string text = ".SS " + roff(name) + "\n.nf\n";
  std::istringstream help(command.help(above));
  for (std::string line; std::getline(help, line);) text += roff(line) + "\n";
  text += ".fi\n";
  for (const CLI::App* each : command.get_subcommands([](const CLI::App*) { return true; })) {
    text += command_text(*each, name);
  }
  return text;
}

constexpr const char* kAfter =
    ".SH EXIT STATUS\n"
    "0: done. 1: the training failed, or the disk or the output is full. 2: the input is wrong. "
    "130: interrupted; the record so far is kept.\n"
    ".SH FILES\n"
    ".TP\n\\fIout/NAME/COMMAND\\fR, with \\-\\-set \\fIout/NAME/COMMAND\\-SETTINGS\\fR\n"
    "The record: run.json, steps.csv, evals.csv, usage.csv, inputs.bin, timeline.json (Perfetto), "
    "tensorboard/.\n"
    ".TP\n\\fI$XDG_CACHE_HOME/foretrain\\fR (~/.cache/foretrain)\n"
    "Calibrations of this machine.\n"
    ".SH ENVIRONMENT\n"
    ".TP\nRANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT, and those of srun, mpirun\n"
    "Set by a launcher: this process is one of several tasks of a run.\n"
    ".TP\nFORETRAIN_JOB_KEY_FILE, FORETRAIN_JOB_KEY\n"
    "The secret that all tasks of a run share.\n"
    ".TP\nFORETRAIN_TLS, FORETRAIN_TLS_CERTIFICATE, FORETRAIN_TLS_KEY, FORETRAIN_TLS_AUTHORITY\n"
    "on or off, and files: as --tls and the options of these names, for all tasks of a run.\n"
    ".TP\nFORETRAIN_KERNELS\n"
    "avx2 or avx512: the kernels to compute with; default: the fastest that the processor has.\n"
    ".TP\nFORETRAIN_LIBRARY\n"
    "The folder of the scenario library, if not the one that came with the program.\n"
    ".TP\nFORETRAIN_JOIN_LIMIT\n"
    "How long tasks wait for each other, such as \"90 s\".\n"
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

std::string man_page(const CLI::App& app, std::string_view version) {
  std::string text =
      fmt::format(".TH FORETRAIN 1 \"\" \"foretrain {}\" \"User Commands\"\n", version);
  text += ".SH NAME\nforetrain \\- distributed SGD over TCP, and its forecast by simulation\n";
  text += ".SH SYNOPSIS\n.B foretrain\n.I COMMAND\n[\\fIOPTION\\fR...] [\\fISCENARIO\\fR]\n";
  text += ".SH DESCRIPTION\n" + roff(app.get_description()) + "\n.SH COMMANDS\n";
  for (const CLI::App* each : app.get_subcommands([](const CLI::App*) { return true; })) {
    text += command_text(*each, "foretrain");
  }
  return text + kAfter;
}

std::string scenario_man_page(const std::vector<KeyText>& keys,
                              const std::vector<std::string>& words, std::string_view version) {
  std::string text =
      fmt::format(".TH FORETRAIN\\-SCENARIO 5 \"\" \"foretrain {}\" \"File Formats\"\n", version);
  text += ".SH NAME\nforetrain\\-scenario \\- file that describes a training and its cluster\n";
  text += ".SH DESCRIPTION\n";
  for (const std::string& paragraph : words) text += ".PP\n" + roff(paragraph) + "\n";
  text += ".SH KEYS\n";
  for (const KeyText& key : keys) text += key_text(key);
  return text + ".SH SEE ALSO\n.BR foretrain (1)\n";
}

}  // namespace foretrain
