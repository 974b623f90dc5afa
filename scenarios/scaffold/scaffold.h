// A first scenario for a user, made from a few answers.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

/// A user's answers about their training; empty if not answered.
struct Scaffold {
  std::string model;     ///< one of scaffold_models(), or a config.json
  std::string data;      ///< one of formats_for(model); none for a counted network
  std::string path;      ///< folder with the data files, if the data are read
  std::string cluster;   ///< `here`, hosts of the library (`dgx-1 x 4`), `3 machines of mine`
  std::string question;  ///< the word of one of scaffold_questions()
};

/// The name of a cluster that is this machine only.
inline constexpr std::string_view kHere = "here";

/// An example of a cluster for counted networks, which need devices.
inline constexpr std::string_view kDeviceCluster = "p5.48xlarge x 4";

/// A question that a drafted scenario can answer.
struct ScaffoldQuestion {
  std::string_view word;
  std::string_view asks;  ///< text of the scenario's `question:`
};
std::span<const ScaffoldQuestion> scaffold_questions();
/// Whether `model` can be asked it: questions that compare strategies are for trained networks.
bool suits(const ScaffoldQuestion& question, const std::string& model);

/// The networks of the program (network_names), then those of the library, which are counted.
std::vector<std::string> scaffold_models();
/// Whether the network is counted (scenarios/networks): it is forecast by its shape, without data.
bool is_counted(const std::string& model);

/// The data formats that a trained network can learn from; the program draws data of the first one.
std::vector<std::string> formats_for(const std::string& model);
/// Whether the program draws data of this format, which then needs no files.
bool is_drawn(std::string_view format);

/// Returns the answers in the library's spelling; they are read in any case.
/// @throws InputError if an answer is invalid; the message names the option of `foretrain new` that
/// gave it. A missing answer is valid
Scaffold check_scaffold(Scaffold scaffold);
/// Fills in missing answers: softmax on drawn digits, on this machine, sync or async.
/// @throws InputError as check_scaffold; if a counted network has no cluster
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
