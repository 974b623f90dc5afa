// The folder of a record; files are replaced whole.
#include "reports/record/files.h"

#include "reports/record/append_file.h"
#include "reports/record/collector.h"
#include "reports/record/inputs.h"
#include "reports/record/provenance.h"
#include "reports/record/record_tables.h"
#include "reports/record/record_writer.h"
#include "reports/record/run_json.h"
#include "reports/record/tensorboard.h"
#include "scenarios/language/file_errors.h"
#include "scenarios/resolve/placement.h"
#include "scenarios/resolve/read.h"

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

/// Reads the tables of a record. Without an end, a table or the end of its last row may be missing.
struct Tables {
  fs::path folder;
  bool ended;

  template <class Row>
  std::vector<Row> read(const char* name,
                        std::vector<Row> (*parse)(std::string_view, const std::string&),
                        std::size_t expected) const {
    const fs::path path = folder / name;
    if (!ended && !fs::exists(path)) return {};
    std::string text = read_text_file(path);
    if (!ended) text.resize(text.rfind('\n') + 1);  // npos + 1 = 0: not even a complete title row
    if (!ended && text.empty()) return {};
    std::vector<Row> rows = parse(text, path.string());
    if (!ended || rows.size() == expected) return rows;
    throw InputError(fmt::format("{}: {} rows, run.json counts {}; the record is damaged",
                                 path.string(), rows.size(), expected));
  }
};

/// Fills a record without an end from its rows.
void interrupt(Record& record) {
  RowTally tally;
  tally.add(record);
  record.outcome = Outcome::interrupted;
  tally.fill_in(record);
  std::int64_t furthest = tally.furthest();
  if (record.step_totals) {
    const int workers = node_counts(record.scenario_case.scenario).workers;
    furthest = record.step_totals->steps / std::max(workers, 1);
  }
  for (const EvalReport& e : record.evals) furthest = std::max(furthest, e.step.value);
  record.failure = fmt::format(
      "interrupted at step {}: its record has no end; its program was killed or is still running",
      furthest);
}

/// A temporary subfolder in which a record is written before it replaces an older one.
class Aside {
 public:
  explicit Aside(const fs::path& folder) : folder_(folder), path_(folder / ".new") {
    std::error_code ignored;
    fs::remove_all(path_, ignored);  // left by a killed process
    fs::create_directory(path_, ignored);
  }
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;
  ~Aside() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }

  [[nodiscard]] const fs::path& path() const { return path_; }

  // run.json is moved last: its row counts show whether the other files belong to it.
  void move_out() const {
    std::error_code error;
    fs::remove(folder_ / kProvenanceFile, error);
    for (const std::string& name : files_beside_run()) move_out(name);
    fs::remove((folder_ / kTensorboardFile).parent_path(), error);  // if it is empty
    move_out(kRunFile);
  }

 private:
  void move_out(const std::string& name) const {
    std::error_code error;
    if (!fs::exists(path_ / name)) {
      fs::remove(folder_ / name, error);
      return;
    }
    fs::create_directories((folder_ / name).parent_path(), error);
    fs::rename(path_ / name, folder_ / name, error);
    if (error) fail_to_write((folder_ / name).string(), error.value());
  }

  fs::path folder_;
  fs::path path_;
};

}  // namespace

std::string read_text_file(const fs::path& path) {
  check_is_file(path);
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (!file) throw InputError(fmt::format("{}: cannot read: {}", path.string(), why(errno)));
  return text;
}

void write_text_file(const fs::path& path, std::string_view text) {
  std::error_code error;
  const fs::file_status there = fs::status(path, error);
  if (fs::exists(there) && !fs::is_regular_file(there)) return AppendFile(path).append(text);
  // A link stays; the file that it points to is replaced.
  const fs::path place = fs::exists(there) ? fs::canonical(path, error) : path;
  const fs::path aside = place.parent_path() / fmt::format(".{}.new", place.filename().string());
  std::error_code ignored;
  try {
    AppendFile(aside, path.string()).append(text);
  } catch (const InputError&) {
    fs::remove(aside, ignored);
    throw;
  }
  fs::rename(aside, place, error);
  if (!error) return;
  fs::remove(aside, ignored);
  fail_to_write(path.string(), error.value());
}

void prepare_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) fail_to_write(folder.string(), error.value(), "cannot make the folder");
  const fs::path probe = folder / ".probe";
  write_text_file(probe, "");
  fs::remove(probe, error);
}

std::vector<std::string> files_beside_run() {
  return {kInputsFile, kStepsFile, kUsageFile, kEvalsFile, kTimelineFile, kTensorboardFile};
}

void write_record(const Record& record, const fs::path& folder, WallTime zero) {
  prepare_folder(folder);
  const Aside aside(folder);
  RecordWriter writer(aside.path(), record.step_totals ? RowsKept::summary : RowsKept::all);
  writer.begin(zero);
  writer.add(record);
  writer.end(record);
  aside.move_out();
}

std::optional<Record> read_record_head(const fs::path& folder) {
  const fs::path path = folder / kRunFile;
  if (!fs::exists(path)) return std::nullopt;
  return parse_run_json(read_text_file(path), path.string()).record;
}

fs::path set_aside(const fs::path& folder, const std::vector<std::string>& names) {
  std::error_code error;
  fs::path aside;
  for (const std::string& name : names) {
    if (!fs::exists(folder / name, error)) continue;
    for (int number = 1; aside.empty(); ++number) {
      const fs::path free = folder / fmt::format("earlier-{}", number);
      if (!fs::exists(free, error)) aside = free;
    }
    fs::create_directories(aside, error);
    if (!error) fs::rename(folder / name, aside / name, error);
    if (error) fail_to_write((aside / name).string(), error.value());
  }
  return aside;
}

Record read_record(const fs::path& folder) {
  if (!fs::exists(folder / kRunFile)) {
    throw InputError(
        fmt::format("{}: no run.json here; is this the folder of a run?", folder.string()));
  }
  auto [record, rows] =
      parse_run_json(read_text_file(folder / kRunFile), (folder / kRunFile).string());
  const Tables tables{folder, rows.has_value()};
  const RowCounts counts = rows.value_or(RowCounts{});
  if (!record.step_totals) {
    record.steps = tables.read(kStepsFile, parse_steps, counts.steps);
    record.usage = tables.read(kUsageFile, parse_usage, counts.usage);
  }
  record.evals = tables.read(kEvalsFile, parse_evals, counts.evals);
  if (fs::exists(folder / kInputsFile)) {
    record.inputs = parse_inputs(read_text_file(folder / kInputsFile), record.nodes.size(),
                                 (folder / kInputsFile).string());
  }
  sort_rows(record);
  if (!rows) interrupt(record);
  return std::move(record);
}

// Each part is parsed with the title row in front.
void read_steps(const fs::path& folder, const std::function<void(const StepRow&)>& look,
                std::size_t part) {
  const fs::path path = folder / kStepsFile;
  check_is_file(path);
  std::ifstream file(path, std::ios::binary);
  std::string text;
  std::getline(file, text);
  text += '\n';
  const std::size_t titles = text.size();
  while (file) {
    const std::size_t before = text.size();
    text.resize(before + part);
    file.read(text.data() + before, static_cast<std::streamsize>(part));
    text.resize(before + static_cast<std::size_t>(file.gcount()));
    const std::size_t end = text.rfind('\n') + 1;
    for (const StepRow& row : parse_steps(std::string_view(text).substr(0, end), path.string())) {
      look(row);
    }
    text.erase(titles, end - titles);
  }
}

}  // namespace foretrain
