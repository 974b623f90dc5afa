// A first scenario for a user, made from a few answers.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

/// A user's answers about their training; empty if not answered.
struct Scaffold {
  std::string model;     ///< one of network_names()
  std::string data;      ///< one of formats_for(model)
  std::string path;      ///< folder with the data files, if the data are read
  std::string cluster;   ///< `here`, or hosts of the library (hardware.h): `dgx-1`, `dgx-1 x 4`
  std::string question;  ///< the word of one of draft_questions()
};

/// The name of a cluster that is this machine only.
inline constexpr std::string_view kHere = "here";

/// A question that a drafted scenario can answer.
struct ScaffoldQuestion {
  std::string_view word;
  std::string_view asks;  ///< text of the scenario's `question:`
};
std::span<const ScaffoldQuestion> scaffold_questions();

/// The data formats that a network can learn from; the program draws data of the first one.
std::vector<std::string> formats_for(const std::string& model);
/// Whether the program draws data of this format, which then needs no files.
bool is_drawn(std::string_view format);

/// @throws InputError if an answer is invalid; the message names the option of `foretrain new` that
/// gave it. A missing answer is valid
void check_scaffold(const Scaffold& scaffold);
/// Fills in missing answers: softmax on drawn digits, on this machine, sync or async.
/// @throws InputError as check_draft
Scaffold completed_scaffold(Scaffold scaffold);

/// A command and its purpose.
struct NextCommand {
  std::string command;
  std::string what;
};
/// Suggested commands for the draft in `file`.
std::vector<NextCommand> next_commands(const Scaffold& scaffold, const std::string& file);

/// The scenario with comments, for `file`; `scaffold` is complete. @throws InputError as
/// library_hosts
std::string scaffold_yaml(const Scaffold& scaffold, const std::string& file);

}  // namespace foretrain
