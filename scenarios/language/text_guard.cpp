// Checks UTF-8 byte by byte.
#include "scenarios/language/text_guard.h"

#include "scenarios/language/file_errors.h"
#include "scenarios/language/input_error.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace foretrain {
namespace {

constexpr std::size_t kBytesMax = 1'000'000;

/// The code of the control character at `at`; 0x80 to 0x9f take two bytes in UTF-8.
unsigned control_at(std::string_view text, std::size_t at) {
  const auto first = static_cast<unsigned char>(text[at]);
  return first == 0xc2 && at + 1 < text.size() ? static_cast<unsigned char>(text[at + 1]) : first;
}

/// The position of the first control character (Unicode's Cc) not in `allowed`; npos if none.
std::size_t find_control(std::string_view text, std::string_view allowed) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const bool c0 = byte < 0x20 || byte == 0x7f;
    const bool c1 = byte == 0xc2 && (control_at(text, at) & 0xe0) == 0x80;
    if (c1 || (c0 && allowed.find(text[at]) == std::string_view::npos)) return at;
  }
  return std::string_view::npos;
}

/// Length of the UTF-8 character at the front of `text`; 0 if it is invalid (RFC 3629: shortest
/// form only, no surrogates, up to U+10FFFF) or a control character.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) -> std::uint32_t {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xc0) == 0x80; };
  const std::uint32_t first = byte(0);
  if (find_control(text.substr(0, 2), "\t\n\r") == 0) return 0;
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return follows(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    if (!follows(1) || !follows(2)) return 0;
    const std::uint32_t code = (first & 0x0f) << 12 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f);
    return code >= 0x800 && (code < 0xd800 || code > 0xdfff) ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    if (!follows(1) || !follows(2) || !follows(3)) return 0;
    const std::uint32_t high = (first & 0x07) << 6 | (byte(1) & 0x3f);  // code / 2^12
    return high >= 0x10 && high <= 0x10f ? 4 : 0;
  }
  return 0;
}

}  // namespace

std::string read_text(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (!fs::exists(path, ignored)) throw InputError(path + ": no such file; check the path");
  check_is_file(path);
  std::ifstream in(path, std::ios::binary);
  // Reading one byte more than allowed shows that the file is too long, however long it is.
  std::string text(kBytesMax + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!in && !in.eof()) throw InputError(path + ": cannot be read: " + std::strerror(errno));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

void check_text(std::string_view text, const std::string& source) {
  int line = 1;
  int column = 1;
  for (std::size_t at = 0; at < std::min(text.size(), kBytesMax);) {
    const std::size_t length = character_length(text.substr(at));
    if (length == 0) {
      throw InputError(fmt::format("{}:{}:{}: byte 0x{:02x} is not text; is this a scenario file?",
                                   source, line, column, static_cast<unsigned char>(text[at])));
    }
    column = text[at] == '\n' ? 1 : column + static_cast<int>(length);
    if (text[at] == '\n') ++line;
    at += length;
  }
  if (text.size() > kBytesMax) {
    throw InputError(fmt::format("{}:{}:{}: the file is longer than 1 MB; is this a scenario file?",
                                 source, line, column));
  }
}

void refuse_controls(std::string_view text, const std::string& place, std::string_view allowed) {
  const std::size_t at = find_control(text, allowed);
  if (at == std::string_view::npos) return;
  throw InputError(
      fmt::format("{}a control character, U+{:04X}; remove it", place, control_at(text, at)));
}

std::string printable(std::string_view text) {
  std::string shown;
  for (std::size_t at = find_control(text, kLayout); at != std::string_view::npos;
       at = find_control(text, kLayout)) {
    const unsigned code = control_at(text, at);
    shown += fmt::format("{}\\u{:04x}", text.substr(0, at), code);
    text.remove_prefix(at + (code < 0x80 ? 1 : 2));
  }
  return shown.append(text);
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const bool ascii = static_cast<unsigned char>(text.front()) < 0x80;
    const std::size_t length = ascii ? 1 : character_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace foretrain
