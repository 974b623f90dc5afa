// The guides: every command in them is valid, every link has a target.
#include "scenarios/library/library.h"
#include "tests/cli/sandbox.h"

#include <catch2/catch.hpp>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <iterator>
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
  std::sort(found.begin() + 1, found.end());
  return found;
}

/// The commands of a page from `foretrain` on, with continued lines joined. Launchers before them
/// and comments after a `#` are removed.
std::vector<std::string> typed_in(const fs::path& page) {
  const std::string text = std::regex_replace(text_of(page), std::regex(" *\\\\\n *"), " ");
  const std::regex command(
      "^    (?:   )?(?:(?:srun|mpirun|sudo) .* )?(foretrain (?:[^#]|#(?! ))*?) *(?:# .*)?$");
  std::vector<std::string> commands;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (std::regex_match(line, match, command)) commands.push_back(match[1]);
  }
  return commands;
}

/// A command of a page, with the lines of its output that the page shows.
struct Shown {
  std::string command;
  std::vector<std::string> lines{};
};

std::vector<Shown> shown_in(const fs::path& page) {
  const std::string text = std::regex_replace(text_of(page), std::regex(" *\\\\\n *"), " ");
  const std::string indent(4, ' ');
  const std::regex command("    (?:   )?(foretrain .*?) *(?:# .*)?");  // in a list, too
  std::vector<Shown> shown;
  bool open = false;  // no prose of the page since the command
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (std::regex_match(line, match, command)) {
      shown.push_back({match[1]});
      open = true;
    } else if (open && line.starts_with(indent)) {
      shown.back().lines.push_back(line.substr(indent.size()));
    } else {
      open = open && line.empty();
    }
  }
  return shown;
}

/// The first line that is missing in the answer, which has to contain all of them in this order.
std::string first_missing(const std::vector<std::string>& lines, const std::string& answer) {
  std::istringstream said(answer);
  for (const std::string& line : lines) {
    std::string next;
    while (next != line && std::getline(said, next)) {
      next.erase(next.find_last_not_of(' ') + 1);
    }
    if (next != line) return line;
  }
  return {};
}

/// These scenarios describe their hosts, so their forecasts are the same on every machine.
bool is_everywhere(const std::string& command) {
  return std::regex_search(
      command, std::regex(" studies/| course/cos568| described_cluster| llama.yaml| job/job.yaml"));
}

/// The words of a command, including their quotes.
std::vector<std::string> words_in(const std::string& command) {
  std::vector<std::string> words;
  const std::regex word("(?:[^ '\"]|'[^']*'|\"[^\"]*\")+");
  for (std::sregex_iterator at(command.begin(), command.end(), word), end; at != end; ++at) {
    words.push_back(at->str());
  }
  return words;
}

/// The command's name in the program: `data` has a second word.
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
      // The library has no data sets; the rest is valid if only they are missing.
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

TEST_CASE("guides: what PyTorch's page shows is what the program says of that trace") {
  const fs::path trace = fs::path(source_dir()) /
                         "../shared/traces/kineto/resnet50_v100_bs32_workers0.pt.trace.json.gz";
  if (!fs::exists(trace)) {
    WARN("skipped: there is no ../shared/traces");
    return;
  }
  Sandbox sandbox;
  fs::copy_file(trace, sandbox.path("resnet50.json.gz"));
  std::size_t compared = 0;
  std::vector<Shown> all = shown_in(source_dir() + "/scenarios/guides/pytorch.md");
  std::ranges::move(shown_in(source_dir() + "/README.md"), std::back_inserter(all));
  for (const Shown& shown : all) {
    if (shown.lines.empty() || shown.command.find("job") == std::string::npos) continue;
    const Called called = sandbox.call(shown.command.substr(std::string("foretrain ").size()));
    CAPTURE(shown.command, called.out, called.err);
    CHECK(called.status == 0);
    CHECK(first_missing(shown.lines, called.out) == "");
    ++compared;
  }
  CHECK(compared >= 4);
}

TEST_CASE("guides: tables of forecasts are what the program prints") {
  Sandbox sandbox;
  std::size_t compared = 0;
  for (const fs::path& page : pages()) {
    for (const Shown& shown : shown_in(page)) {
      const bool of_job = shown.command.find(" job/") != std::string::npos;
      if (shown.lines.empty() || of_job || !is_everywhere(shown.command)) continue;
      if (shown.command.starts_with("foretrain sweep")) continue;  // followed by a job script
      if (shown.command.starts_with("foretrain whatif llama.yaml")) continue;  // takes 20 s
      const Called called = sandbox.call(shown.command.substr(std::string("foretrain ").size()));
      CAPTURE(page.filename().string(), shown.command, called.out, called.err);
      CHECK(called.status == 0);
      CHECK(first_missing(shown.lines, called.out) == "");
      ++compared;
    }
  }
  CHECK(compared >= 6);
}

TEST_CASE("guides: trainings on this machine run as they are typed") {
  const std::regex real("foretrain (run|evaluate|calibrate|simulate) .*");
  const std::regex here(".*(quickstart|--from one|--machine there.yaml).*");
  std::set<std::string> ran;
  for (const fs::path& page : pages()) {
    Sandbox sandbox;
    for (const std::string& typed : typed_in(page)) {
      const bool asks_for_machine =
          typed.starts_with("foretrain simulate") && typed.find("there.yaml") == std::string::npos;
      if (!std::regex_match(typed, real) || !std::regex_match(typed, here)) continue;
      if (asks_for_machine || !ran.insert(typed).second) continue;
      const Called called = sandbox.call(typed.substr(std::string("foretrain ").size()));
      CAPTURE(page.filename().string(), typed, called.out, called.err);
      CHECK(called.status == 0);
    }
  }
  CHECK(ran.size() >= 8);
}

TEST_CASE("guides: the error of others' clusters is that of their table") {
  const std::string table = text_of(source_dir() + "/scenarios/clusters/README.md");
  std::smatch all;
  REQUIRE(std::regex_search(table, all,
                            std::regex(R"(\n\| all \| (\d+) \| ([\d.]+ %) \| ([\d.]+ %) \|)")));
  const std::string readme = text_of(source_dir() + "/README.md");
  const std::string said =
      all.str(1) + " figures are forecast with a median error of " + all.str(2);
  CHECK(readme.find(said + "\n") != std::string::npos);
  const std::string guide = text_of(source_dir() + "/scenarios/guides/validate.md");
  CHECK(guide.find(all.str(1) + " forecasts have a median error of " + all.str(2) + ", " +
                   all.str(3)) != std::string::npos);
}

/// A folder with the files that a reader of the pages has: scenarios, tables, data, a trace.
class Reader {
 public:
  Reader() {
    const fs::path source = source_dir();
    fs::create_directory_symlink(source / "scenarios", sandbox_.path("scenarios"));
    if (has_shared()) {
      fs::create_directory_symlink(shared() / "data", sandbox_.path("data"));
      fs::copy_file(shared() / "traces/kineto/resnet50_v100_bs32_workers0.pt.trace.json.gz",
                    sandbox_.path("resnet50.json.gz"));
    }
    sandbox_.write("times.csv", "batch_size,seconds\n16,0.001\n32,0.0018\n");
  }

  [[nodiscard]] static bool has_shared() { return fs::exists(shared()); }

  /// Writes the files that a page expects.
  void open(const std::string& page) {
    for (const char* made : {"mine.yaml", "scenario.yaml", "llama.yaml", "out/mine"}) {
      fs::remove_all(sandbox_.path(made));
    }
    if (page == "forecast.md" && has_shared()) type("foretrain import resnet50.json.gz --out job");
    if (page == "teach.md") {  // its scenario has a sweep, so each row names its case
      sandbox_.write("mine.csv",
                     "series,case,set,quantity,value,unit,role\n"
                     "mine,1,training.workers=1,step_time,1.88,s,base\n"
                     "mine,2,training.workers=2,step_time,1.71,s,forecast\n");
    }
    if (page != "pytorch.md" && page != "validate.md") return;
    sandbox_.write("mine.yaml",
                   "foretrain: 1\nname: mine\nmodel: softmax\nnumerics: off\n"
                   "training: {strategy: all_reduce, workers: 8, batch_size: 64, steps: 20}\n"
                   "cluster: {hosts: [{name: mine, count: 8, nic: 100 Gbps, compute: 100 ms}]}\n");
    sandbox_.write("mine.csv",
                   "series,set,quantity,value,unit,role\n"
                   "mine,training.workers=1,throughput,360,images/s,base\n"
                   "mine,training.workers=4,throughput,1330,images/s,forecast\n");
  }

  /// Calls the program as typed; `more` are words that shorten the training.
  Called type(const std::string& command, const std::string& more = {}) {
    return sandbox_.call(command.substr(std::string("foretrain ").size()) + more);
  }

 private:
  static fs::path shared() { return fs::path(source_dir()) / "../shared"; }

  Sandbox sandbox_;
};

TEST_CASE("guides: every command runs as it is typed, in the order of its page",
          "[.][every_command]") {  // ./dev test guides: eight minutes
  // Those that wait for somebody, or for other machines, have tests of their own.
  const std::regex elsewhere(
      "foretrain (serve"                            // cli/serve_test.cpp, page/
      "|run my.yaml .*|.*machines/cluster.yaml)");  // tests/cluster/run
  const std::regex with_files(".*(resnet50.json.gz|job/job.yaml|data/|mnist_|cs744_softmax).*");
  const std::regex as_root(".* --emulate.*");
  const std::string brief = " --set training.epochs=null --set training.steps=20";
  const std::map<std::string, std::string> shortened{
      {"foretrain run mnist_softmax --set dataset.path=data/mnist", brief},
      {"foretrain run mnist_lenet --metrics :9464", brief},
  };
  Reader reader;
  std::set<std::string> ran;
  std::size_t skipped = 0;
  for (const fs::path& page : pages()) {
    reader.open(page.filename());
    for (const Shown& shown : shown_in(page)) {
      const std::string& typed = shown.command;
      if (std::regex_match(typed, elsewhere) || ran.contains(typed)) continue;
      if ((!Reader::has_shared() && std::regex_match(typed, with_files)) ||
          (geteuid() != 0 && std::regex_match(typed, as_root))) {
        WARN("skipped: " + typed);
        ++skipped;
        continue;
      }
      const auto more = shortened.find(typed);
      const auto begin = std::chrono::steady_clock::now();
      const Called called = reader.type(typed, more == shortened.end() ? "" : more->second);
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
      std::cout << took.count() << " s  " << typed << "\n" << std::flush;
      CAPTURE(page.filename().string(), typed, called.out, called.err);
      CHECK(called.status == 0);
      if (is_everywhere(typed) && !typed.starts_with("foretrain sweep")) {
        CHECK(first_missing(shown.lines, called.out) == "");
      }
      ran.insert(typed);
    }
  }
  CHECK(ran.size() + skipped >= 70);
}

}  // namespace
}  // namespace foretrain
