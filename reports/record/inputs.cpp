#include "reports/record/inputs.h"

#include "scenarios/language/input_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

namespace foretrain {
namespace {

static_assert(std::endian::native == std::endian::little, "the file is little-endian");

constexpr std::string_view kMagic = "FTIN";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kHead = 16;
constexpr std::size_t kRow = 48;
constexpr std::uint64_t kNotKnown = ~std::uint64_t{0};
constexpr Duration kLongest{1'000'000'000'000'000'000};  // 31 years

template <class T>
void put(std::string& text, T value) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  text.append(bytes, sizeof(T));
}

template <class T>
T get(std::string_view text, std::size_t& at) {
  T value;
  std::memcpy(&value, text.data() + at, sizeof(T));
  at += sizeof(T);
  return value;
}

InputRow get_row(std::string_view text, std::size_t at) {
  InputRow row;
  row.time.ns = get<std::int64_t>(text, at);
  row.step = get<std::int64_t>(text, at);
  row.id = get<std::uint64_t>(text, at);
  row.node = get<std::uint32_t>(text, at);
  row.peer = get<std::uint32_t>(text, at);
  row.bucket = get<std::uint32_t>(text, at);
  row.kind = static_cast<InputRow::Kind>(get<std::uint16_t>(text, at));
  row.message = get<std::uint16_t>(text, at);
  row.took.ns = get<std::int64_t>(text, at);
  return row;
}

/// The row with only the fields that its kind of input has.
InputRow reduced(const InputRow& row) {
  using Kind = InputRow::Kind;
  InputRow own;
  own.time = row.time;
  own.node = row.node;
  own.kind = row.kind;
  if (row.kind == Kind::received) {
    own.step = row.step;
    own.bucket = row.bucket;
    own.message = row.message;
  }
  const bool of_peer = row.kind == Kind::lost || row.kind == Kind::back;
  if (row.kind == Kind::received || of_peer) own.peer = row.peer;
  const bool numbered = row.kind == Kind::computed || row.kind == Kind::timer;
  if (numbered || row.kind == Kind::back) own.id = row.id;
  if (row.kind == Kind::computed) own.took = row.took;
  return own;
}

/// Checks the rows of a file in order.
class Checker {
 public:
  explicit Checker(std::size_t nodes) : latest_(nodes) {}

  /// The error in the row; empty if it is valid.
  std::string look(const InputRow& row) {
    if (row.kind > InputRow::Kind::back) {
      return fmt::format("{} is no kind of input", static_cast<int>(row.kind));
    }
    const std::size_t nodes = latest_.size();
    if (row.node >= nodes || row.peer >= nodes) {
      return fmt::format("node {} does not exist, there are {}", std::max(row.node, row.peer),
                         nodes);
    }
    if (row != reduced(row)) return "it has a value in a column that its kind does not use";
    const bool received = row.kind == InputRow::Kind::received;
    if (received && !is_message_kind(row.message)) {
      return fmt::format("{} is no kind of message", row.message);
    }
    if (row.step < 0) return fmt::format("step {} is below 0", row.step);
    return look_at_times(row);
  }

 private:
  std::string look_at_times(const InputRow& row) {
    std::optional<Instant>& latest = latest_[row.node];
    // A second `started` is valid: it follows a restart from a checkpoint.
    if (row.kind != InputRow::Kind::started && !latest) {
      return fmt::format("node {} has an input before it started", row.node);
    }
    const Instant from = latest.value_or(Instant{});
    if (row.time < from || row.time > Instant{} + kLongest) {
      return fmt::format("time {:.9f} s comes after {:.9f} s of the same node", row.time.seconds(),
                         from.seconds());
    }
    if (row.took < Duration{} || row.took > kLongest) {
      return fmt::format("a job cannot take {:.9f} s", row.took.seconds());
    }
    latest = row.time;
    return {};
  }

  std::vector<std::optional<Instant>> latest_;  // time of each node's latest input; none: not
                                                // started
};

}  // namespace

std::string inputs_head(std::optional<std::uint64_t> rows) {
  std::string text(kMagic);
  put(text, kVersion);
  put(text, rows.value_or(kNotKnown));
  return text;
}

void append_row(std::string& text, const InputRow& row) {
  put(text, row.time.ns);
  put(text, row.step);
  put(text, row.id);
  put(text, row.node);
  put(text, row.peer);
  put(text, row.bucket);
  put(text, static_cast<std::uint16_t>(row.kind));
  put(text, row.message);
  put(text, row.took.ns);
}

std::vector<InputRow> parse_inputs(std::string_view text, std::size_t nodes,
                                   const std::string& path) {
  std::size_t at = kMagic.size();
  if (inputs_head({}).starts_with(text)) return {};  // the disk was full when it was created
  if (text.size() < kHead || !text.starts_with(kMagic) ||
      get<std::uint32_t>(text, at) != kVersion) {
    throw InputError(fmt::format(
        "{}: is no file of recorded inputs, or of another version of this program", path));
  }
  auto count = get<std::uint64_t>(text, at);
  if (count == kNotKnown) {
    count = (text.size() - kHead) / kRow;
  } else if ((text.size() - kHead) % kRow != 0 || count != (text.size() - kHead) / kRow) {
    throw InputError(fmt::format("{}: has {} bytes, which are not {} rows; the record is damaged",
                                 path, text.size(), count));
  }
  std::vector<InputRow> rows(count);
  Checker checker(nodes);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i] = get_row(text, kHead + i * kRow);
    const std::string wrong = checker.look(rows[i]);
    if (wrong.empty()) continue;
    throw InputError(fmt::format("{}: row {}: {}; the record is damaged", path, i + 1, wrong));
  }
  return rows;
}

}  // namespace foretrain
