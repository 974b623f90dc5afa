// A first scenario of somebody's own, from a few answers.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

/// What somebody says of their training; empty: they say nothing.
struct Draft {
  std::string model;     ///< one of network_names()
  std::string data;      ///< one of formats_for(model)
  std::string path;      ///< of data that is read: the folder with its files
  std::string cluster;   ///< `here`, or hosts of the library (hardware.h): `dgx-1`, `dgx-1 x 4`
  std::string question;  ///< the word of one of draft_questions()
};

/// The cluster that is this machine.
inline constexpr std::string_view kHere = "here";

/// What a scenario can be drafted for.
struct DraftQuestion {
  std::string_view word;
  std::string_view asks;  ///< as the scenario has it
};
std::span<const DraftQuestion> draft_questions();

/// The data formats that a network learns from, the first of them drawn by the program.
std::vector<std::string> formats_for(const std::string& model);
/// Whether the program draws data of this format, so needs no files.
bool is_drawn(std::string_view format);

/// @throws InputError for an answer that means nothing, with the option of `foretrain new` that
/// gave it; no answer is none of these
void check_draft(const Draft& draft);
/// What is missing filled in: softmax on drawn digits, on this machine, sync or async.
/// @throws InputError as check_draft
Draft completed_draft(Draft draft);

/// A command with what it is for.
struct NextCommand {
  std::string command;
  std::string what;
};
/// What to do with the draft, which is in `file`.
std::vector<NextCommand> next_commands(const Draft& draft, const std::string& file);

/// The scenario with comments, for `file`; `draft` is complete. @throws InputError as library_hosts
std::string draft_yaml(const Draft& draft, const std::string& file);

}  // namespace foretrain
