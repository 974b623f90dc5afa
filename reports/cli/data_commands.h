// What `foretrain data` does.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace foretrain {

/// The formats that a scenario's dataset: can name, for people.
std::string list_data();

/// Reads all of a file or folder, says what it holds, for people. @throws DataError
std::string verify_data(const std::string& path);

/// Draws a scenario's data set, without a scenario, to the files of an IDX data set in `folder`
/// (empty: out/data/FORMAT). `settings`: keys of `dataset:`, such as `take=1000`. Returns what was
/// written, for people. @throws InputError
std::string draw_data(const std::string& format, const std::vector<std::string>& settings,
                      const std::filesystem::path& folder);

}  // namespace foretrain
