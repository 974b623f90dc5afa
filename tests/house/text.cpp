// Finds comments, literals, includes in C++ text without compiling it.
#include "tests/house/text.h"

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace foretrain::house {
namespace {

bool in_identifier(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// The end (exclusive) of the comment or literal that starts at `at`; `at` if there is none.
std::size_t end_of_opaque(std::string_view text, std::size_t at) {
  const auto past = [&](std::string_view closing, std::size_t from) {
    const std::size_t found = text.find(closing, from);
    return found == std::string_view::npos ? text.size() : found + closing.size();
  };
  const std::string_view rest = text.substr(at);
  if (rest.starts_with("//")) return std::min(text.find('\n', at), text.size());
  if (rest.starts_with("/*")) return past("*/", at + 2);
  if (rest.starts_with("R\"") && (at == 0 || !in_identifier(text[at - 1]))) {
    const std::size_t open = text.find('(', at);
    if (open == std::string_view::npos) return text.size();
    return past(")" + std::string(text.substr(at + 2, open - at - 2)) + "\"", open);
  }
  const char quote = text[at];
  // In a number such as 1'000 the quote begins no character.
  if (quote == '\'' && at > 0 && in_identifier(text[at - 1])) return at;
  if (quote != '"' && quote != '\'') return at;
  std::size_t end = at + 1;
  while (end < text.size() && text[end] != quote && text[end] != '\n') {
    end += text[end] == '\\' ? 2 : 1;
  }
  return std::min(end + 1, text.size());
}

std::string_view without_indent(std::string_view line) {
  const std::size_t start = line.find_first_not_of(" \t");
  return start == std::string_view::npos ? std::string_view{} : line.substr(start);
}

}  // namespace

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string code_only(std::string_view text) {
  std::string code(text);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = end_of_opaque(text, at);
    for (std::size_t i = at; i < end; ++i) {
      if (code[i] != '\n') code[i] = ' ';
    }
    at = end == at ? at + 1 : end;
  }
  return code;
}

std::vector<Include> includes_of(std::string_view text) {
  const std::vector<std::string> lines = lines_of(text);
  const std::vector<std::string> code = lines_of(code_only(text));
  std::vector<Include> includes;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    // The name of a quoted include is blank in `code`; only the directive has to be real code.
    std::string_view directive = without_indent(code[i]);
    if (!directive.starts_with('#')) continue;
    directive = without_indent(directive.substr(1));
    if (!directive.starts_with("include")) continue;
    const std::size_t open = lines[i].find_first_of("<\"");
    if (open == std::string::npos) continue;
    const bool quoted = lines[i][open] == '"';
    const std::size_t close = lines[i].find(quoted ? '"' : '>', open + 1);
    if (close == std::string::npos) continue;
    includes.push_back(
        {lines[i].substr(open + 1, close - open - 1), quoted, static_cast<int>(i) + 1});
  }
  return includes;
}

std::vector<Word> words_of(std::string_view code) {
  std::vector<Word> words;
  int line = 1;
  for (std::size_t at = 0; at < code.size();) {
    if (code[at] == '\n') ++line;
    if (!in_identifier(code[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < code.size() && (in_identifier(code[end]) || code.substr(end).starts_with("::"))) {
      end += in_identifier(code[end]) ? 1 : 2;
    }
    const std::size_t next = code.find_first_not_of(' ', end);
    const bool called = next != std::string_view::npos && code[next] == '(';
    words.push_back({std::string(code.substr(at, end - at)), called, line});
    at = end;
  }
  return words;
}

bool matches(std::string_view path, std::string_view pattern) {
  if (!pattern.ends_with('*')) return path == pattern;
  return path.starts_with(pattern.substr(0, pattern.size() - 1));
}

std::string top_of(std::string_view path) { return std::string(path.substr(0, path.find('/'))); }

}  // namespace foretrain::house
