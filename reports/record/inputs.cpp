#include "reports/record/inputs.h"

#include "scenarios/input_error.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

namespace foretrain {
namespace {

static_assert(std::endian::native == std::endian::little, "the file is little-endian");

constexpr std::string_view kMagic = "FTIN";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kHead = 16;
constexpr std::size_t kRow = 48;

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

}  // namespace

std::string inputs_file(const std::vector<InputRow>& rows) {
  std::string text(kMagic);
  text.reserve(kHead + kRow * rows.size());
  put(text, kVersion);
  put(text, std::uint64_t{rows.size()});
  for (const InputRow& row : rows) {
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
  return text;
}

std::vector<InputRow> parse_inputs(std::string_view text, const std::string& path) {
  std::size_t at = kMagic.size();
  if (text.size() < kHead || !text.starts_with(kMagic) ||
      get<std::uint32_t>(text, at) != kVersion) {
    throw InputError(fmt::format("{}: no recorded inputs of this version", path));
  }
  const auto count = get<std::uint64_t>(text, at);
  if ((text.size() - kHead) % kRow != 0 || count != (text.size() - kHead) / kRow) {
    throw InputError(fmt::format("{}: {} bytes, {} rows are announced; the record is damaged", path,
                                 text.size(), count));
  }
  std::vector<InputRow> rows(count);
  for (InputRow& row : rows) {
    row.time.ns = get<std::int64_t>(text, at);
    row.step = get<std::int64_t>(text, at);
    row.id = get<std::uint64_t>(text, at);
    row.node = get<std::uint32_t>(text, at);
    row.peer = get<std::uint32_t>(text, at);
    row.bucket = get<std::uint32_t>(text, at);
    const auto kind = get<std::uint16_t>(text, at);
    if (kind > static_cast<std::uint16_t>(InputRow::Kind::lost)) {
      throw InputError(fmt::format("{}: an input of kind {}; the record is damaged", path, kind));
    }
    row.kind = static_cast<InputRow::Kind>(kind);
    row.message = get<std::uint16_t>(text, at);
    row.took.ns = get<std::int64_t>(text, at);
  }
  return rows;
}

}  // namespace foretrain
