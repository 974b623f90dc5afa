// What benchmarks share: other people's programs beside ours, the words of their options.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace foretrain::bench {

/// The folder with the peers' programs. @throws std::runtime_error where it is not there
std::string peers_folder();

/// What `command` prints, line by line. @throws std::runtime_error where it cannot be started
std::vector<std::string> lines_of(const std::string& command);

/// The number after `label` in a line; nothing where the label is not in it.
std::optional<double> number_after(const std::string& line, const std::string& label);

/// `a,b` as its parts.
std::vector<std::string> split(const std::string& text);

/// @throws std::runtime_error that lists `names`, where `--only` asked for something else
void check_only(const std::vector<std::string>& only, const std::vector<std::string>& names);

}  // namespace foretrain::bench
