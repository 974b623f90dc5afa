// C++ text for the house checks: lines, includes, words outside comments.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace foretrain::house {

/// A file of the tree; its path is relative to the root (`models/base/time.h`).
struct SourceFile {
  std::string path;
  std::string text;
};

/// One `#include`, at a line counted from 1.
struct Include {
  std::string path;
  bool quoted = false;
  int line = 0;
};

/// A name with its scopes (`std::ranges::shuffle`), at a line counted from 1.
struct Word {
  std::string name;
  bool called = false;  ///< an opening parenthesis follows
  int line = 0;
};

/// The lines of `text`, without their ends.
std::vector<std::string> lines_of(std::string_view text);

/// `text` with every comment and every string or character literal replaced by spaces. Line and
/// column numbers do not change. A quoted include counts as a literal.
std::string code_only(std::string_view text);

/// The includes of `text` outside comments.
std::vector<Include> includes_of(std::string_view text);

/// The names in `code` (see code_only), keywords too.
std::vector<Word> words_of(std::string_view code);

/// Whether `path` matches `pattern`, in which a `*` at the end stands for anything.
bool matches(std::string_view path, std::string_view pattern);

/// The first folder of `path`; the path itself for a file at the root.
std::string top_of(std::string_view path);

}  // namespace foretrain::house
