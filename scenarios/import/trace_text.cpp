#include "scenarios/import/trace_text.h"

#include "scenarios/language/input_error.h"

#include <fmt/format.h>

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <string_view>
#include <utility>

namespace foretrain {
namespace {

constexpr std::size_t kBuffer = 1 << 16;
constexpr std::size_t kMostToken = 1 << 24;   // bytes
constexpr std::size_t kMostString = 1 << 12;  // stored bytes
constexpr std::size_t kMostMade = 1 << 12;    // per call

bool is_blank(int c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == 0; }

constexpr std::array<bool, 256> kOfWords = [] {
  std::array<bool, 256> is{};
  for (const char c : std::string_view("+-./#()_0123456789"))
    is[static_cast<unsigned char>(c)] = true;
  for (std::size_t c = 'a'; c <= 'z'; ++c) is[c] = is[c - 'a' + 'A'] = true;
  return is;
}();

bool is_word(int c) { return c > 0 && kOfWords[static_cast<std::size_t>(c)]; }

// Spellings of non-numbers in C, C++, Python.
bool is_no_number(std::string_view word) {
  static constexpr std::array<std::string_view, 6> kNames{"inf",  "infinity", "nan",
                                                          "none", "n/a",      "undefined"};
  std::string lower;
  for (const char c : word) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  std::string_view name = lower;
  if (name.starts_with('-') || name.starts_with('+')) name.remove_prefix(1);
  return name.starts_with("1.#") || name.starts_with("nan(") ||
         std::ranges::find(kNames, name) != kNames.end();
}

}  // namespace

TraceText::TraceText(std::string path)
    : path_(std::move(path)), file_(gzopen(path_.c_str(), "rb")), buffer_(kBuffer) {
  if (file_ == nullptr) {
    throw InputError(fmt::format("{}: cannot be read; is there such a file?", path_));
  }
  try {
    gzbuffer(file_, kBuffer);
    refill();
  } catch (...) {
    gzclose_r(file_);
    throw;
  }
}

TraceText::~TraceText() { gzclose_r(file_); }

std::string TraceText::beginning(const std::string& path, std::size_t bytes) {
  TraceText text(path);
  return {text.buffer_.data(), std::min(bytes, text.filled_)};
}

// zlib skips data after gzip's end, such as zeros of a tape or a block.
void TraceText::refill() {
  std::memmove(buffer_.data(), buffer_.data() + next_, filled_ - next_);
  filled_ -= std::exchange(next_, 0);
  const auto room = static_cast<unsigned>(buffer_.size() - filled_);
  const int count = gzread(file_, buffer_.data() + filled_, room);
  int error = Z_OK;
  gzerror(file_, &error);
  filled_ += static_cast<std::size_t>(std::max(count, 0));
  const bool headless = gzdirect(file_) != 0 && read_ == 0 && filled_ > 0 && buffer_[0] == 0x1f;
  if (count < 0 || error == Z_BUF_ERROR || headless) {
    throw InputError(fmt::format("{}: is damaged or incomplete (gzip); copy it again", path_));
  }
}

int TraceText::peek_behind(std::size_t ahead) {
  refill();
  return next_ + ahead < filled_ ? static_cast<unsigned char>(buffer_[next_ + ahead]) : -1;
}

void TraceText::take(std::size_t count) {
  next_ += count;
  read_ += count;
  token_ += count;
  if (token_ <= kMostToken) return;
  throw InputError(fmt::format(
      "{}: at byte {} are more than 16 MiB of blanks or of one value, which no profiler writes; is "
      "the file damaged?",
      path_, read_));
}

bool TraceText::make_more() {
  while (place_ == made_.size()) {
    made_.clear();
    place_ = 0;
    if (peek() < 0) {
      at_end_ = true;
      return false;
    }
    make();
  }
  return true;
}

void TraceText::make() {
  if (in_string_) return make_string();
  const int c = peek();
  if (is_word(c)) return make_word();
  token_ = 0;
  if (is_blank(c)) {
    skip_blanks();
    made_ = " ";
    return;
  }
  take();
  made_ = static_cast<char>(c);
  in_string_ = c == '"';
  if (c != ',' && c != ':') return;
  skip_blanks();
  const bool nothing_follows = peek() == ']' || peek() == '}';
  if (c == ':' && (nothing_follows || peek() == ',')) made_ = ":null";
  if (c == ',' && nothing_follows) made_ = " ";
}

void TraceText::skip_blanks() {
  while (is_blank(peek())) take();
}

// Takes buffered characters that need no correction.
void TraceText::make_plain() {
  const std::size_t room = kMostMade - made_.size();
  const auto first = buffer_.begin() + static_cast<std::ptrdiff_t>(next_);
  const auto end = first + static_cast<std::ptrdiff_t>(std::min(filled_ - next_, room));
  const auto stop =
      std::find_if(first, end, [](char c) { return c < ' ' || c > '~' || c == '"' || c == '\\'; });
  const auto count = static_cast<std::size_t>(stop - first);
  made_.append(&*first, std::min(count, kMostString - std::min(token_, kMostString)));
  take(count);
}

void TraceText::make_string() {
  for (int c = peek(); c >= 0 && made_.size() < kMostMade; c = peek()) {
    make_plain();
    c = peek();
    if (c < 0 || made_.size() >= kMostMade) return;
    const std::size_t before = made_.size();
    if (c == '"') {
      take();
      made_ += '"';
      in_string_ = false;
      token_ = 0;
      return;
    }
    if (c == '\\') {
      make_escape();
    } else {
      take();
      made_ += c < ' ' ? ' ' : c > '~' ? '?' : static_cast<char>(c);
    }
    if (!in_string_) return;
    if (token_ > kMostString) made_.resize(before);
  }
}

void TraceText::make_escape() {
  const int next = peek(1);
  if (next == '"' && peek(2) == ',' && (peek(3) == '"' || (peek(3) == ' ' && peek(4) == '"'))) {
    take(2);  // end of a folder's name: `"D:\work\", "name": ...`
    made_ += "\\\\\"";
    in_string_ = false;
    token_ = 0;
  } else if (next == 'u' && std::isxdigit(peek(2)) != 0 && std::isxdigit(peek(3)) != 0 &&
             std::isxdigit(peek(4)) != 0 && std::isxdigit(peek(5)) != 0) {
    take(6);
    made_ += '?';
  } else if (next > 0 && std::strchr("\"\\/bfnrt", next) != nullptr) {
    take(2);
    made_ += '\\';
    made_ += static_cast<char>(next);
  } else {
    take();
    made_ += "\\\\";
  }
}

void TraceText::make_word() {
  constexpr std::size_t kMost = 64;
  while (made_.size() < kMost && is_word(peek())) {
    made_ += static_cast<char>(peek());
    take();
  }
  if (made_.size() < kMost && is_no_number(made_)) made_ = "null";
}

}  // namespace foretrain
