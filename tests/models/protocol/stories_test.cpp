// Each strategy as a story of messages, decisions, compared as text.
#include "models/protocol/registry.h"
#include "scenarios/resolve/prepared.h"
#include "scenarios/resolve/read.h"
#include "tests/support/line_diff.h"
#include "tests/support/places.h"
#include "tests/support/story.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain::testing {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHowToRewrite =
    "FORETRAIN_REWRITE_GOLDEN=1 build/release/tests/foretrain_tests 'story: *'";
constexpr std::string_view kSet = "# Set:";
constexpr std::string_view kNotice = "# Notice:";

fs::path folder() { return fs::path(source_dir()) / "tests" / "golden" / "stories"; }

// A training of four nodes, or one if the strategy supports no more.
std::shared_ptr<const Training> four_nodes(const Protocol& protocol,
                                           const std::vector<std::string>& settings) {
  std::string text = R"(foretrain: 1
name: story
model: softmax
dataset: {format: digits, take: 600, test_take: 200}
numerics: off
training:
  batch_size: 16
  steps: 3
  evaluate_every: 2
)";
  text += fmt::format("  strategy: {}\n", protocol.name);
  if (protocol.several_workers) {
    text += fmt::format("  workers: {}\n", protocol.servers ? 3 : 4);
    text += "  bucket_size: 16 kB\n";
  }
  const Case scenario_case = parse_scenario(text, "story", settings).front();
  return prepare(scenario_case, Need::shape).training;
}

// A file: a header of lines that begin with `#`, written by people, then the story.
struct File {
  std::string header;
  std::string story;

  // The keys of its `Set:` lines, which override the scenario.
  [[nodiscard]] std::vector<std::string> settings() const {
    std::vector<std::string> settings;
    std::istringstream lines(header);
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with(kSet)) continue;
      std::istringstream words(line.substr(kSet.size()));
      for (std::string word; words >> word;) settings.push_back(word);
    }
    return settings;
  }
  [[nodiscard]] bool says_what_to_notice() const {
    const auto at = header.find(kNotice);
    return at != std::string::npos && header.find('\n', at) > at + kNotice.size() + 1;
  }
};

File read(const fs::path& path) {
  File file;
  std::ifstream stream(path);
  for (std::string line; std::getline(stream, line);) {
    (line.starts_with('#') ? file.header : file.story) += line + '\n';
  }
  return file;
}

// The strategy of `sync.txt` or `sync_backups.txt`: the longest name that the file name begins
// with.
const Protocol& protocol_of(const fs::path& path) {
  const std::string name = path.stem().string();
  const Protocol* longest = nullptr;
  for (const Protocol& protocol : protocols()) {
    const bool begins =
        name == protocol.name || name.starts_with(fmt::format("{}_", protocol.name));
    if (begins && (longest == nullptr || protocol.name.size() > longest->name.size())) {
      longest = &protocol;
    }
  }
  INFO(path);
  REQUIRE(longest != nullptr);
  return *longest;
}

std::vector<fs::path> files() {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder())) paths.push_back(entry.path());
  std::ranges::sort(paths);
  return paths;
}

bool rewriting() { return std::getenv("FORETRAIN_REWRITE_GOLDEN") != nullptr; }

TEST_CASE("story: each strategy has one") {
  for (const Protocol& protocol : protocols()) {
    const fs::path path = folder() / fmt::format("{}.txt", protocol.name);
    if (rewriting() && !fs::exists(path)) {
      std::ofstream(path) << fmt::format("# {}.\n{}\n", protocol.name, kNotice);
    }
    INFO(path.string() << " is not there; write it by: " << kHowToRewrite);
    CHECK(fs::exists(path));
  }
}

TEST_CASE("story: each strategy goes as it is told") {
  for (const fs::path& path : files()) {
    File file = read(path);
    const std::string now = story_of(four_nodes(protocol_of(path), file.settings()));
    if (rewriting()) {
      std::ofstream(path) << file.header << now;
      file.story = now;
    }
    const std::string diff = line_diff(file.story, now);
    if (diff.empty()) continue;
    fmt::print(stderr, "{} (-) and this program (+):\n{}", path.string(), diff);
    FAIL_CHECK(path.string() << " tells another story; where that is meant, rewrite it by: "
                             << kHowToRewrite);
  }
}

TEST_CASE("story: where two differ, two lines around it are shown") {
  const std::string before = "a\nb\nc\nd\ne\nf\ng\n";
  CHECK(line_diff(before, before).empty());
  CHECK(line_diff(before, "a\nb\nc\nd\nE\nf\ng\n") == "...\n c\n d\n-e\n+E\n f\n g\n");
  CHECK(line_diff(before, "b\nc\nd\ne\nf\ng\nh\n") == "-a\n b\n c\n...\n f\n g\n+h\n");
}

TEST_CASE("story: a file says what to notice, and is short") {
  for (const fs::path& path : files()) {
    const File file = read(path);
    INFO(path.string());
    CHECK(file.says_what_to_notice());
    CHECK(std::ranges::count(file.header + file.story, '\n') <= 200);
    std::istringstream lines(file.header + file.story);
    for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 100);
  }
}

}  // namespace
}  // namespace foretrain::testing
