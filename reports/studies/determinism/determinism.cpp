// Two simulations of one case, compared file by file.
#include "reports/studies/determinism/determinism.h"

#include "reports/record/files.h"
#include "reports/record/tensorboard.h"
#include "scenarios/input_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <memory>
#include <string_view>
#include <system_error>
#include <vector>

namespace foretrain {
namespace {

namespace fs = std::filesystem;

/// Takes the next line, without its line feed, off `text`.
std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

std::string difference_of(std::string_view name, std::string_view first, std::string_view second) {
  for (int number = 1; !first.empty() || !second.empty(); ++number) {
    const bool ends = first.empty() || second.empty();
    const std::string_view a = take_line(first);
    const std::string_view b = take_line(second);
    if (a != b || ends) return fmt::format("{}:{}: first `{}`, then `{}`", name, number, a, b);
  }
  return fmt::format("{}: the ends of its last lines differ", name);
}

/// The folder of a record, as long as it is looked at.
class Scratch {
 public:
  explicit Scratch(const Record& record) {
    std::string path = (fs::temp_directory_path() / "foretrain-twin-XXXXXX").string();
    if (mkdtemp(path.data()) == nullptr) {
      throw InputError(fmt::format("{}: cannot make a folder there", path));
    }
    path_ = path;
    write_record(record, path_);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }

  /// Empty where the record has no such file.
  [[nodiscard]] std::string text(const std::string& name) const {
    return fs::exists(path_ / name) ? read_text_file(path_ / name) : std::string();
  }

 private:
  fs::path path_;
};

/// Blocks of many sizes of which every other is free again.
class Holes {
 public:
  Holes() {
    for (std::size_t i = 0; i < kBlocks; ++i) {
      blocks_.push_back(std::make_unique<std::byte[]>(16 + i * 2'654'435'761U % 8'192));
    }
    for (std::size_t i = 0; i < kBlocks; i += 2) blocks_[i].reset();
  }

 private:
  static constexpr std::size_t kBlocks = 2'048;
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
};

}  // namespace

Replayed compare_weights(const Record& recorded, const Record& replayed) {
  if (recorded.weights_sha256.empty()) {
    return {true, "the recorded training was not done, so it has no weights to compare"};
  }
  if (replayed.weights_sha256 == recorded.weights_sha256) {
    return {true, "weights equal the recorded ones bit for bit"};
  }
  if (replayed.kernel_set == recorded.kernel_set) {
    return {false, "weights DIFFER from the recorded ones"};
  }
  return {true, "weights of another kernel set: not comparable"};
}

std::string first_difference(const Record& first, const Record& second) {
  const Scratch one(first);
  const Scratch other(second);
  std::vector<std::string> names = files_beside_run();
  names.insert(std::ranges::find(names, kTensorboardFile), kRunFile);  // which is made of the rest
  for (const std::string& name : names) {
    const std::string a = one.text(name);
    const std::string b = other.text(name);
    if (a != b) return difference_of(name, a, b);
  }
  return {};
}

Twins simulate_twice(const Case& scenario_case,
                     const std::function<Record(const Case&)>& simulate) {
  Twins twins{simulate(scenario_case), {}};
  if (twins.record.outcome == Outcome::interrupted) return twins;
  const Record second = std::async(std::launch::async, [&] {
                          const Holes holes;
                          return simulate(scenario_case);
                        }).get();
  if (second.outcome == Outcome::interrupted) {
    twins.record.outcome = Outcome::interrupted;
    twins.record.failure = second.failure;
    return twins;
  }
  twins.difference = first_difference(twins.record, second);
  return twins;
}

std::string verdict(const Twins& twins) {
  const std::string title = title_of(twins.record.scenario_case);
  if (twins.record.outcome == Outcome::interrupted) return title + ": interrupted, not compared";
  if (twins.difference.empty()) return title + ": two simulations wrote the same bytes";
  return fmt::format("{}: two simulations DIFFER at {}", title, twins.difference);
}

}  // namespace foretrain
