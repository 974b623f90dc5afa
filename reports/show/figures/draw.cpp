// Runs gnuplot on the script of a figure.
#include "reports/record/files.h"
#include "reports/record/text.h"
#include "reports/show/figures/figure.h"
#include "scenarios/write_error.h"

#include <fmt/format.h>

#include <sys/wait.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace foretrain {
namespace {

namespace fs = std::filesystem;

/// A folder in the one of a figure, in which it is drawn before it takes the place of an older one.
class Easel {
 public:
  /// The data of the figure `name` are in `folder`.
  Easel(const fs::path& folder, const std::string& name)
      : folder_(folder), path_(folder / ".drawn"), name_(name) {
    std::error_code error;
    fs::remove_all(path_, error);  // of one that was killed
    fs::create_directory(path_, error);
    const std::string data = name + ".csv";
    if (!error) fs::create_symlink(fs::path("..") / data, path_ / data, error);
    if (error) fail_to_write(path_.string(), error.value());
  }
  Easel(const Easel&) = delete;
  Easel& operator=(const Easel&) = delete;
  ~Easel() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }

  [[nodiscard]] const fs::path& path() const { return path_; }
  /// Takes a drawing out, which ends so where it is whole: gnuplot does not tell of a full disk.
  [[nodiscard]] fs::path take(const std::string& extension, std::string_view end) const {
    const std::string file = name_ + extension;
    fs::path place = folder_ / file;
    if (read_text_file(path_ / file).rfind(end) == std::string::npos) {
      throw WriteError(
          fmt::format("{}: gnuplot wrote a part of it alone; is the disk full?", place.string()));
    }
    std::error_code error;
    fs::rename(path_ / file, place, error);
    if (error) fail_to_write(place.string(), error.value());
    return place;
  }

 private:
  fs::path folder_;
  fs::path path_;
  std::string name_;
};

/// How a shell's command ended, and what it said.
struct Ended {
  int status = 0;  ///< as waitpid gives it
  std::string said;
};

/// Runs `gnuplot SCRIPT` in `folder`. `-d`: whatever the user's own settings are.
Ended run_gnuplot(const fs::path& folder, const std::string& script) {
  Ended ended;
  const std::string command = fmt::format("cd {} && exec gnuplot -d {} 2>&1 </dev/null",
                                          shell_word(folder.string()), shell_word(script));
  std::FILE* said = popen(command.c_str(), "re");
  if (said == nullptr) fail_to_write("gnuplot", errno, "cannot be started");
  for (int c = std::fgetc(said); c != EOF; c = std::fgetc(said)) ended.said += static_cast<char>(c);
  ended.status = pclose(said);
  return ended;
}

}  // namespace

fs::path draw(const Figure& figure, const fs::path& folder) {
  if (figure.panels.empty()) {
    throw InputError(
        fmt::format("the figure {} has nothing to draw: no record knows its figures", figure.name));
  }
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) fail_to_write(folder.string(), error.value(), "cannot make the folder");
  const std::string script = figure.name + ".gp";
  write_text_file(folder / (figure.name + ".csv"), figure_csv(figure));
  write_text_file(folder / script, gnuplot_script(figure));
  const Easel easel(folder, figure.name);
  const Ended ended = run_gnuplot(easel.path(), (fs::path("..") / script).string());
  constexpr int kNotFound = 127;  // as shells say it
  if (WIFEXITED(ended.status) && WEXITSTATUS(ended.status) == kNotFound) {
    throw NoGnuplot(fmt::format(
        "gnuplot, which draws the figures, is not installed: apt-get install gnuplot-nox; "
        "the data and the script are in {}",
        folder.string()));
  }
  if (!WIFEXITED(ended.status) || WEXITSTATUS(ended.status) != 0) {
    throw InputError(
        fmt::format("gnuplot failed on {}: {}", (folder / script).string(), ended.said));
  }
  for (const auto& [extension, end] : {std::pair(".png", "IEND"), std::pair(".pdf", "%%EOF")}) {
    static_cast<void>(easel.take(extension, end));
  }
  return easel.take(".svg", "</svg>");
}

}  // namespace foretrain
