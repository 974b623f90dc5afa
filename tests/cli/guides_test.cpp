// The pages that newcomers read: every command is one, every link leads somewhere.
#include "scenarios/examples.h"
#include "tests/cli/sandbox.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace foretrain {
namespace {

namespace fs = std::filesystem;
using testing::Called;
using testing::Sandbox;
using testing::text_of;

std::vector<fs::path> pages() {
  std::vector<fs::path> found{fs::path(source_dir()) / "README.md"};
  for (const auto& entry : fs::directory_iterator(source_dir() + "/scenarios/guides")) {
    found.push_back(entry.path());
  }
  return found;
}

/// What the page has people type, from `foretrain` on, one a line however it was broken; what
/// launchers stand in front is left out, so is what stands behind a `#`.
std::vector<std::string> typed_in(const fs::path& page) {
  const std::string text = std::regex_replace(text_of(page), std::regex(" *\\\\\n *"), " ");
  const std::regex command(
      "^    (?:(?:srun|mpirun|sudo) .* )?(foretrain (?:[^#]|#(?! ))*?) *(?:# .*)?$");
  std::vector<std::string> commands;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (std::regex_match(line, match, command)) commands.push_back(match[1]);
  }
  return commands;
}

/// The words of a command, their quotes still around them.
std::vector<std::string> words_in(const std::string& command) {
  std::vector<std::string> words;
  const std::regex word("(?:[^ '\"]|'[^']*'|\"[^\"]*\")+");
  for (std::sregex_iterator at(command.begin(), command.end(), word), end; at != end; ++at) {
    words.push_back(at->str());
  }
  return words;
}

/// A command as the program knows it: `data` with what follows it is one.
std::string path_in(const std::vector<std::string>& words) {
  return words[1] == "data" ? words[1] + " " + words[2] : words[1];
}

TEST_CASE("guides: every command is one of the program, with options that it has") {
  Sandbox sandbox;
  const std::vector<std::string> commands = sandbox.commands();
  std::map<std::string, std::string> help;
  std::size_t count = 0;
  for (const fs::path& page : pages()) {
    for (const std::string& typed : typed_in(page)) {
      CAPTURE(page.filename().string(), typed);
      const std::vector<std::string> words = words_in(typed);
      REQUIRE(words.size() > 1);
      const std::string path = path_in(words);
      REQUIRE(std::ranges::find(commands, path) != commands.end());
      std::string& text = help[path];
      if (text.empty()) text = sandbox.call(path + " --help").out;
      for (const std::string& word : words) {
        CAPTURE(word);
        if (word.starts_with("--")) CHECK(text.find(word) != std::string::npos);
      }
      ++count;
    }
  }
  CHECK(count > 40);
}

TEST_CASE("guides: a scenario of the library is taken as it is asked for") {
  Sandbox sandbox;
  std::set<std::string> names;
  for (const Example& example : library_examples()) names.insert(example.name);
  std::set<std::string> seen;
  for (const fs::path& page : pages()) {
    for (const std::string& typed : typed_in(page)) {
      const std::vector<std::string> words = words_in(typed);
      const auto name = std::ranges::find_if(
          words, [&](const std::string& word) { return names.contains(word); });
      if (name == words.end()) continue;
      std::string check = "check " + *name;
      for (std::size_t i = 1; i + 1 < words.size(); ++i) {
        if (words[i] == "--set") check += " --set " + words[i + 1];
      }
      CAPTURE(page.filename().string(), typed, check);
      const Called called = sandbox.call(check);
      seen.insert(*name);
      // Files of data sets are not the library's: all else is right where they alone are missing.
      if (called.err.find(": dataset.path: ") != std::string::npos) continue;
      CHECK(called.err.empty());
      CHECK(called.status == 0);
    }
  }
  CHECK(seen.size() > 10);
  CHECK(seen.contains("quickstart"));
}

TEST_CASE("guides: every link leads to a file") {
  std::size_t count = 0;
  for (const fs::path& page : pages()) {
    const std::string text = text_of(page);
    const std::regex link("\\]\\(([^)#]+)\\)");
    for (std::sregex_iterator at(text.begin(), text.end(), link), end; at != end; ++at) {
      const std::string target = (*at)[1];
      if (target.starts_with("http")) continue;
      CAPTURE(page.filename().string(), target);
      CHECK(fs::exists(page.parent_path() / target));
      ++count;
    }
  }
  CHECK(count > 20);
}

TEST_CASE("guides: the README is what a newcomer reads, it names every guide") {
  const std::string readme = text_of(fs::path(source_dir()) / "README.md");
  CHECK(std::ranges::count(readme, '\n') <= 150);
  for (const fs::path& page : pages()) {
    if (page.filename() == "README.md") continue;
    CAPTURE(page.filename().string());
    CHECK(readme.find("scenarios/guides/" + page.filename().string()) != std::string::npos);
  }
}

TEST_CASE("guides: the first scenario that the README shows is the library's") {
  const std::string readme = text_of(fs::path(source_dir()) / "README.md");
  std::istringstream lines(text_of(source_dir() + "/scenarios/quickstart.yaml"));
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    if (!line.starts_with('#')) CHECK(readme.find("\n    " + line + "\n") != std::string::npos);
  }
}

}  // namespace
}  // namespace foretrain
