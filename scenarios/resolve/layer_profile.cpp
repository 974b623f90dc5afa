// Reads layer profiles cell by cell.
#include "scenarios/resolve/layer_profile.h"

#include "scenarios/language/csv.h"
#include "scenarios/language/decimal.h"
#include "scenarios/language/field.h"
#include "scenarios/language/input_error.h"
#include "scenarios/language/propose.h"
#include "scenarios/language/text_guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace foretrain {
namespace {

enum Column : std::size_t {
  kLayer,
  kParameterBytes,
  kForward,
  kBackward,
  kTensors,
  kUpdate,
  kForwardSecond,  // times of a second batch: forward_ms@8
  kBackwardSecond,
  kParameters,  // from here on: a table of work
  kProducts,
  kEdges,
  kAttention,
  kMoved,
  kKept,
  kColumns
};
constexpr std::array<std::string_view, kColumns> kNames{
    "layer",      "parameter_bytes", "forward_ms",    "backward_ms", "tensors",
    "update_ms",  "forward_ms@N",    "backward_ms@N", "parameters",  "product_gflop",
    "edge_mflop", "attention_gflop", "moved_mb",      "kept_mb"};
constexpr std::array kNeeded{kLayer, kParameterBytes, kForward, kBackward};
constexpr std::array kNeededForWork{kLayer, kTensors,   kParameters, kProducts,
                                    kEdges, kAttention, kMoved,      kKept};

std::string titles_of(std::span<const Column> columns) {
  std::vector<std::string_view> names;
  for (const Column each : columns) names.push_back(kNames[each]);
  return fmt::format("{}", fmt::join(names, ","));
}

constexpr std::int64_t kBatchMost = 10'000'000;
constexpr std::int64_t kParametersMost = 1'000'000'000'000;

class ProfileReader {
 public:
  ProfileReader(std::string_view text, std::string source, int batch_size)
      : source_(std::move(source)),
        rows_(text, CsvRows::Comments::are_passed_over,
              [this](std::size_t line, std::size_t column, const std::string& what) {
                fail(line, column, what);
              }) {
    profile_.batch_size = batch_size;
    if (rows_.next()) read_titles();
    while (rows_.next()) read_layer();
    check_whole();
  }

  NetworkProfile take() { return std::move(profile_); }

 private:
  [[noreturn]] void fail(std::size_t line, std::size_t column, const std::string& what) const {
    throw InputError(fmt::format("{}:{}:{}: {}", source_, line, column, what));
  }
  [[noreturn]] void fail_cell(Column which, const std::string& what) const {
    fail(rows_.line(), cell(which).column, fmt::format("{}: {}", kNames[which], what));
  }

  [[nodiscard]] const CsvCell& cell(Column which) const { return rows_.cells()[places_[which]]; }

  void read_layer() {
    if (rows_.cells().size() != width_) {
      fail(rows_.line(), 1,
           fmt::format("{} cells under {} columns; write one for each column", rows_.cells().size(),
                       width_));
    }
    LayerTimes times;
    times.layer = cell(kLayer).text;
    if (times.layer.empty()) fail_cell(kLayer, "empty; name the layer");
    refuse_controls(times.layer,
                    fmt::format("{}:{}:{}: layer: ", source_, rows_.line(), cell(kLayer).column));
    if (of_work_) {
      profile_.work.push_back(work(times.layer));
      return;
    }
    times.parameters = parameters();
    times.forward_s = seconds(kForward);
    times.backward_s = seconds(kBackward);
    if (found_[kUpdate]) times.update_s = seconds(kUpdate);
    if (profile_.second_batch > 0) {
      times.forward_second_s = seconds(kForwardSecond);
      times.backward_second_s = seconds(kBackwardSecond);
    }
    if (found_[kTensors]) times.tensors = tensors(times.parameters);
    profile_.layers.push_back(std::move(times));
  }

  void read_titles() {
    const CsvCells& titles = rows_.cells();
    width_ = titles.size();
    const std::vector<std::string> names(kNames.begin(), kNames.end());
    for (std::size_t i = 0; i < titles.size(); ++i) {
      const CsvCell& title = titles[i];
      const std::size_t at = title.text.find('@');
      const std::string name(at == std::string_view::npos
                                 ? title.text
                                 : fmt::format("{}N", title.text.substr(0, at + 1)));
      const auto which = static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
      if (which == kColumns) {
        const std::string near = nearest(title.text, names);
        fail(rows_.line(), title.column,
             fmt::format("'{}' is no column of a profile; {}", title.text,
                         near.empty() ? fmt::format("they are {}", fmt::join(names, ", "))
                                      : fmt::format("did you mean {}?", near)));
      }
      if (std::exchange(found_[which], true)) {
        fail(rows_.line(), title.column, fmt::format("a second column {}; keep one", title.text));
      }
      if (which == kForwardSecond || which == kBackwardSecond) {
        read_second_batch(title, title.text.substr(at + 1));
      }
      places_[which] = i;
    }
    of_work_ = std::find(found_.begin() + kParameters, found_.end(), true) != found_.end();
    std::vector<Column> needed(kNeeded.begin(), kNeeded.end());
    if (profile_.second_batch > 0) needed.insert(needed.end(), {kForwardSecond, kBackwardSecond});
    if (of_work_) needed.assign(kNeededForWork.begin(), kNeededForWork.end());
    for (const Column each :
         {kParameterBytes, kForward, kBackward, kUpdate, kForwardSecond, kBackwardSecond}) {
      if (!of_work_ || !found_[each]) continue;
      fail_cell(each, "a table of work does not have it; remove it");
    }
    const auto missing = std::ranges::find_if(needed, [&](Column each) { return !found_[each]; });
    if (missing == needed.end()) return;
    fail(rows_.line(), 1,
         fmt::format("there is no column {}; the first line names the columns: {}",
                     kNames[*missing], titles_of(needed)));
  }

  void read_second_batch(const CsvCell& title, std::string_view number) {
    const auto decimal = parse_decimal(number);
    const std::int64_t batch = decimal ? to_integer(*decimal).value_or(0) : 0;
    int& second = profile_.second_batch;
    if (batch >= 1 && batch <= kBatchMost && batch != profile_.batch_size &&
        (second == 0 || second == batch)) {
      second = static_cast<int>(batch);
      return;
    }
    fail(rows_.line(), title.column,
         fmt::format("'{}': write one batch size for both passes, other than {}, profile_batch",
                     title.text, profile_.batch_size));
  }

  [[nodiscard]] Decimal number(Column which, std::string_view example) const {
    const std::string_view text = cell(which).text;
    if (text.empty()) fail_cell(which, fmt::format("missing; write a number, {}", example));
    const auto number = parse_decimal(text);
    if (!number) {
      fail_cell(which, fmt::format("'{}' is not a number; write one, {}", text, example));
    }
    if (number->negative) fail_cell(which, fmt::format("{} is negative; write 0 or more", text));
    return *number;
  }

  [[nodiscard]] LayerWork work(const std::string& layer) const {
    const auto of = [&](Column which, int power) {
      return to_double(shifted(number(which, "1.92 for instance"), power));
    };
    constexpr int kMega = 6;
    constexpr int kGiga = 9;
    const auto parameters = to_integer(number(kParameters, "37632 for instance"));
    if (!parameters || *parameters > kParametersMost) {
      fail_cell(kParameters, fmt::format("{}; write a whole number up to {}",
                                         cell(kParameters).text, kParametersMost));
    }
    LayerWork work{.layer = layer, .parameters = *parameters};
    work.tensors = tensors(*parameters);
    work.products = of(kProducts, kGiga);
    work.edges = of(kEdges, kMega);
    work.attention = of(kAttention, kGiga);
    work.moved = of(kMoved, kMega);
    work.kept = of(kKept, kMega);
    work.kernels = 1;  // at least
    return work;
  }

  [[nodiscard]] std::int64_t parameters() const {
    const std::string_view text = cell(kParameterBytes).text;
    const auto bytes = to_integer(number(kParameterBytes, "37632 for instance"));
    if (!bytes || *bytes % 2 != 0) {
      fail_cell(kParameterBytes,
                fmt::format(
                    "{} bytes are neither floats of 4 bytes nor halves of 2; write an even number",
                    text));
    }
    if (*bytes > kParametersMost) {
      fail_cell(kParameterBytes,
                fmt::format("{} is too large; write up to {}", text, kParametersMost));
    }
    return (*bytes + 3) / 4;
  }

  [[nodiscard]] int tensors(std::int64_t parameters) const {
    const auto count = to_integer(number(kTensors, "6 for instance"));
    const std::int64_t most = std::min<std::int64_t>(parameters, kNodesMax);
    const std::int64_t least = std::min<std::int64_t>(most, 1);
    if (count && *count >= least && *count <= most) return static_cast<int>(*count);
    fail_cell(kTensors,
              fmt::format("{} tensors are not possible with {} parameters; write {} to {}",
                          cell(kTensors).text, parameters, least, most));
  }

  double seconds(Column which) {
    constexpr double kMost_s = 1e6;
    constexpr int kMilli = -3;
    const double time_s = to_double(shifted(number(which, "1.92 for instance"), kMilli));
    whole_s_ += time_s;
    if (whole_s_ > kMost_s) {
      fail_cell(which, fmt::format("{}, so that a gradient takes more than {:.0f} s; check "
                                   "that the times are milliseconds",
                                   cell(which).text, kMost_s));
    }
    return time_s;
  }

  void check_whole() const {
    if (profile_.layers.empty() && profile_.work.empty()) {
      throw InputError(
          fmt::format("{}: there is no layer; write a line {}, then one for each layer", source_,
                      titles_of(kNeeded)));
    }
    const auto has_parameters = [](const auto& layer) { return layer.parameters > 0; };
    if (std::ranges::any_of(profile_.layers, has_parameters)) return;
    if (std::ranges::any_of(profile_.work, has_parameters)) return;
    throw InputError(fmt::format("{}: no layer has parameters; nothing would be learned, check {}",
                                 source_, kNames[of_work_ ? kParameters : kParameterBytes]));
  }

  std::string source_;
  CsvRows rows_;
  std::size_t width_ = 0;                       // cells of the first line
  std::array<bool, kColumns> found_{};          // whether the column exists
  bool of_work_ = false;                        // the table has work in place of times
  std::array<std::size_t, kColumns> places_{};  // indices of the columns in a row
  double whole_s_ = 0;                          // of all layers so far
  NetworkProfile profile_;
};

}  // namespace

NetworkProfile read_profile(const ProfileFile& file, int batch_size) {
  if (!file.text.empty()) return parse_profile(file.text, file.path, batch_size);
  constexpr std::size_t kBytesMax = 1'000'000;  // `read_text` returns one more
  const std::string text = read_text(file.path);
  if (text.size() > kBytesMax) {
    throw InputError(file.path + ": the file is longer than 1 MB; is this a profile?");
  }
  return parse_profile(text, file.path, batch_size);
}

NetworkProfile parse_profile(const std::string& text, const std::string& source, int batch_size) {
  return ProfileReader(text, source, batch_size).take();
}

}  // namespace foretrain
