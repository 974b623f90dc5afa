// Completion of the command line by three shells.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace foretrain {

/// A script for bash, zsh or fish that asks the program itself: `foretrain describe words -- WORD...`.
std::string completion_script(const std::string& shell);

/// What the last of `words`, which stand behind `foretrain`, can be completed to, a line each, with
/// a tab before what it is: commands, options, values of which there are few, the keys of --set;
/// where a scenario is asked for, the library's and the files of the folder. Nothing where any file
/// may be meant.
std::string completions(const CLI::App& app, const std::vector<std::string>& words);

}  // namespace foretrain
