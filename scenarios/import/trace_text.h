// The text of a trace file as strict JSON, character by character.
#pragma once

#include <cstddef>
#include <iterator>
#include <string>
#include <vector>

struct gzFile_s;

namespace foretrain {

/// Reads a file, gzip or not, in bounded memory. It corrects what profilers write although JSON
/// does not allow it:
///
///     inf, -nan(ind), N/A, nothing for a value     null
///     "D:\work", "D:\work\", "name"                the backslash is a character
///     control characters, \uXXXX, other than ASCII a blank or ? in their place
///     a comma before the end of a list             nothing
///     zeros behind the end                         nothing
///
/// A long string is cut to its first 4,096 bytes.
/// @throws InputError if the file is missing, if its gzip is damaged or truncated, or if blanks, a
/// string or a number exceed 16 MiB
class TraceText {
 public:
  explicit TraceText(std::string path);
  TraceText(const TraceText&) = delete;
  TraceText& operator=(const TraceText&) = delete;
  ~TraceText();

  /// For a parser that reads once: all iterators share one position.
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = char;

    explicit Iterator(TraceText* text) : text_(text) {}
    char operator*() const { return text_->made_[text_->place_]; }
    Iterator& operator++() {
      ++text_->place_;
      return *this;
    }
    /// Only for comparison with the end.
    bool operator==(const Iterator& /*end*/) const { return !text_->has_more(); }

   private:
    TraceText* text_;
  };
  Iterator begin() { return Iterator(this); }
  Iterator end() { return Iterator(nullptr); }

  /// Bytes of the decompressed file that the parser has read.
  [[nodiscard]] std::size_t taken() const { return read_ - (made_.size() - place_); }
  /// Whether the parser has read past the end.
  [[nodiscard]] bool at_end() const { return at_end_; }

  /// The first `bytes` of the decompressed file. @throws InputError
  static std::string beginning(const std::string& path, std::size_t bytes);

 private:
  bool has_more() { return place_ < made_.size() || make_more(); }
  bool make_more();
  void make();
  void make_string();
  void make_plain();
  void make_escape();
  void make_word();
  void skip_blanks();
  [[nodiscard]] int peek(std::size_t ahead = 0) {
    return next_ + ahead < filled_ ? static_cast<unsigned char>(buffer_[next_ + ahead])
                                   : peek_behind(ahead);
  }
  [[nodiscard]] int peek_behind(std::size_t ahead);
  void take(std::size_t count = 1);
  void refill();

  std::string path_;
  gzFile_s* file_;
  std::vector<char> buffer_;
  std::size_t next_ = 0;    // next byte in the buffer
  std::size_t filled_ = 0;  // bytes in the buffer
  std::size_t read_ = 0;    // bytes of the decompressed file
  std::size_t token_ = 0;   // bytes of the current token so far
  std::string made_;        // JSON that the parser has not read begins at `place_`
  std::size_t place_ = 0;
  bool in_string_ = false;
  bool at_end_ = false;
};

}  // namespace foretrain
