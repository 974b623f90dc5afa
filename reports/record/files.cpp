// The folder of a record: whole files or the older ones.
#include "reports/record/files.h"

#include "reports/record/inputs.h"
#include "reports/record/provenance.h"
#include "reports/record/run_json.h"
#include "reports/record/tables.h"
#include "reports/record/tensorboard.h"
#include "reports/record/timeline.h"
#include "scenarios/read.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace foretrain {
namespace {

namespace fs = std::filesystem;

std::string why(int error) { return std::generic_category().message(error); }

std::string read_file(const fs::path& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (!file) throw InputError(fmt::format("{}: cannot read: {}", path.string(), why(errno)));
  return text;
}

void check_rows(const fs::path& path, std::size_t found, std::size_t expected) {
  if (found == expected) return;
  throw InputError(fmt::format("{}: {} rows, run.json counts {}; the record is damaged",
                               path.string(), found, expected));
}

}  // namespace

void write_text_file(const fs::path& path, std::string_view text) {
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (!file) throw InputError(fmt::format("{}: cannot write: {}", path.string(), why(errno)));
}

void prepare_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw InputError(
        fmt::format("{}: cannot make the folder: {}", folder.string(), error.message()));
  }
  const fs::path probe = folder / ".probe";
  write_text_file(probe, "");
  fs::remove(probe, error);
}

// run.json comes last: its counts tell whether the others are of its record.
std::vector<std::pair<std::string, std::string>> record_files(const Record& record) {
  std::vector<std::pair<std::string, std::string>> files;
  if (!record.inputs.empty()) files.emplace_back("inputs.bin", inputs_file(record.inputs));
  if (!record.step_totals) {
    files.emplace_back("steps.csv", steps_csv(record.steps));
    files.emplace_back("usage.csv", usage_csv(record.usage));
  }
  files.emplace_back("evals.csv", evals_csv(record.evals));
  if (!record.step_totals) files.emplace_back("timeline.json", timeline_json(record));
  std::string events = tensorboard_events(record);
  if (!events.empty()) files.emplace_back(kTensorboardFile, std::move(events));
  files.emplace_back("run.json", run_json(record));
  return files;
}

void write_record(const Record& record, const fs::path& folder) {
  prepare_folder(folder);
  std::error_code error;
  // All are written beside their places first, so a writer that dies leaves the older record.
  const auto files = record_files(record);
  fs::remove(folder / "inputs.bin", error);  // of an earlier record
  fs::remove(folder / kProvenanceFile, error);
  const auto aside = [&](const std::string& name) {
    return folder / fmt::format(".{}.new", fs::path(name).filename().string());
  };
  for (const auto& [name, text] : files) write_text_file(aside(name), text);
  for (const auto& [name, text] : files) {
    fs::create_directories((folder / name).parent_path(), error);
    fs::rename(aside(name), folder / name, error);
    if (error) {
      throw InputError(
          fmt::format("{}: cannot write: {}", (folder / name).string(), error.message()));
    }
  }
  for (const char* of_another : {"steps.csv", "usage.csv", "timeline.json", kTensorboardFile}) {
    const auto written = [&](const auto& file) { return file.first == of_another; };
    if (std::ranges::none_of(files, written)) fs::remove(folder / of_another, error);
  }
  fs::remove((folder / kTensorboardFile).parent_path(), error);  // where it is empty
}

Record read_record(const fs::path& folder) {
  if (!fs::exists(folder / "run.json")) {
    throw InputError(
        fmt::format("{}: no run.json here; is this the folder of a run?", folder.string()));
  }
  const auto read = [&](const char* name, auto parse) {
    return parse(read_file(folder / name), (folder / name).string());
  };
  auto [record, rows] = read("run.json", parse_run_json);
  if (!record.step_totals) {
    record.steps = read("steps.csv", parse_steps);
    check_rows(folder / "steps.csv", record.steps.size(), rows.steps);
    record.usage = read("usage.csv", parse_usage);
    check_rows(folder / "usage.csv", record.usage.size(), rows.usage);
  }
  record.evals = read("evals.csv", parse_evals);
  check_rows(folder / "evals.csv", record.evals.size(), rows.evals);
  if (fs::exists(folder / "inputs.bin")) {
    record.inputs = read("inputs.bin", [&](std::string_view text, const std::string& path) {
      return parse_inputs(text, record.nodes.size(), path);
    });
  }
  return std::move(record);
}

}  // namespace foretrain
