// A folder in which a test calls the program.
#pragma once

#include "tests/support/places.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

namespace foretrain::testing {

struct Called {
  int status = 0;
  std::string out;
  std::string err;
};

inline std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A temporary folder for one test. It has its own cache, so that the user's is neither read nor
// written.
class Sandbox {
 public:
  Sandbox()
      : folder_(std::filesystem::temp_directory_path() /
                ("foretrain-cli-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
    write("machine.yaml",
          "foretrain_machine: 1\nname: made-up\ncores: 2\nkernel_set: none\nloopback:\n"
          "  send: {overhead: 2 us, per_item: 0.1 ns}\n"
          "  receive: {overhead: 2 us, per_item: 0.1 ns}\n"
          "  handoff: 1 us\n  wake: 50 us\n  poll: 200 us\n"
          "apply: {overhead: 1 us, per_item: 0.1 ns}\nmodels:\n  softmax 784x10:\n"
          "    gradient: {overhead: 10 us, per_item: 1 us}\n"
          "    evaluate: {overhead: 0 us, per_item: 1 us}\n");
    write("small.yaml",
          "foretrain: 1\nname: small\ndataset: {take: 300, test_take: 100}\n"
          "training: {workers: 2, batch_size: 16, steps: 10}\n");
  }
  Sandbox(const Sandbox&) = delete;
  Sandbox& operator=(const Sandbox&) = delete;
  ~Sandbox() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
  }
  /// `before`: shell commands to run first, such as setting a limit. `out`: target of standard
  /// output.
  Called call(const std::string& arguments, const std::string& before = "true",
              const std::string& out = "out.txt") {
    const std::string command = "cd '" + folder_.string() + "' && unset COLUMNS && " + before +
                                " && XDG_CACHE_HOME=cache '" + program_path() + "' " + arguments +
                                " >" + out + " 2>err.txt";
    const int status = std::system(command.c_str());
    return {WEXITSTATUS(status), text_of(folder_ / "out.txt"), text_of(folder_ / "err.txt")};
  }
  /// Every command in the help, including nested ones: `data draw`.
  std::vector<std::string> commands(const std::string& below = {}) {
    std::vector<std::string> names;
    std::istringstream help(call(below + " --help").out);
    bool listed = false;
    for (std::string line; std::getline(help, line);) {
      if (line.starts_with("  ") && line.size() > 2 && line[2] != ' ' && listed) {
        const std::string name = line.substr(2, line.find(' ', 2) - 2);
        names.push_back(below.empty() ? name : below + " " + name);
        const std::vector<std::string> more = commands(names.back());
        names.insert(names.end(), more.begin(), more.end());
      }
      listed = listed || line == "Subcommands:";
    }
    return names;
  }
  [[nodiscard]] std::filesystem::path path(const std::string& name) const { return folder_ / name; }
  [[nodiscard]] bool has(const std::string& name) const {
    return std::filesystem::exists(folder_ / name);
  }

 private:
  std::filesystem::path folder_;
};

}  // namespace foretrain::testing
