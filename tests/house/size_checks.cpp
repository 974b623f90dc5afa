// The rules on size, first lines, folders.
#include "tests/house/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <set>
#include <string_view>

namespace foretrain::house {
namespace {

/// open: a namespace or a type, which may contain functions.
enum class Scope { open, function, other };

/// Replaces directives by blank lines, because a macro's braces need not match.
std::string without_directives(const std::string& code) {
  std::string out;
  bool in_directive = false;
  for (const std::string& line : lines_of(code)) {
    const std::size_t start = line.find_first_not_of(' ');
    in_directive = in_directive || (start != std::string::npos && line[start] == '#');
    if (!in_directive) out += line;
    out += '\n';
    in_directive = in_directive && line.ends_with('\\');
  }
  return out;
}

/// `statement` without a leading `template <...>`.
std::string_view without_template(std::string_view statement) {
  while (statement.starts_with("template")) {
    std::size_t at = statement.find('<');
    int depth = 0;
    for (; at < statement.size(); ++at) {
      depth += statement[at] == '<' ? 1 : statement[at] == '>' ? -1 : 0;
      if (depth == 0) break;
    }
    statement.remove_prefix(std::min(at + 1, statement.size()));
    statement.remove_prefix(std::min(statement.find_first_not_of(' '), statement.size()));
  }
  return statement;
}

/// The scope that the brace after `statement` opens (`statement`: everything since the last `;` or
/// brace).
Scope scope_after(std::string_view statement) {
  static const std::set<std::string, std::less<>> types = {"namespace", "class", "struct",
                                                           "union",     "enum",  "extern"};
  const std::string_view declared = without_template(statement);
  const auto words = words_of(declared);
  for (const Word& word : words) {
    if (types.contains(word.name)) return Scope::open;
    if (word.name != "inline" && word.name != "typedef" && word.name != "static") break;
  }
  // The brace of a body follows a space (`f() {`, `const {`), that of an initialiser a name or `=`.
  const std::size_t last = declared.find_last_not_of(' ');
  if (last == std::string_view::npos || last + 1 == declared.size()) return Scope::other;
  const bool after_name = std::isalnum(static_cast<unsigned char>(declared[last])) != 0 ||
                          declared[last] == '>' || declared[last] == ')' || declared[last] == '}' ||
                          declared[last] == '_' || declared[last] == ']';
  const bool has_parameters =
      declared.find('(') != std::string_view::npos || declared.find('[') != std::string_view::npos;
  return after_name && has_parameters ? Scope::function : Scope::other;
}

std::string name_of(std::string_view statement) {
  const auto words = words_of(statement);
  const auto called = std::ranges::find_if(words, &Word::called);
  return called == words.end() ? "a function" : called->name;
}

/// Reads code without comments, literals and directives, brace by brace.
class FunctionFinder {
 public:
  FunctionFinder(const std::string& file, std::vector<Finding>& findings)
      : file_(file), findings_(findings) {}

  void read(char c) {
    if (c == '{') {
      open();
    } else if (c == '}') {
      close();
    } else if (c == ';' && !inside_function()) {
      statement_.clear();
    } else if (!inside_function() && (c != ' ' || !statement_.empty())) {
      if (c != '\n' && statement_.empty()) start_ = line_;
      if (c != '\n' || !statement_.empty()) statement_ += c == '\n' ? ' ' : c;
      if (statement_ == "public:" || statement_ == "private:" || statement_ == "protected:") {
        statement_.clear();
      }
    }
    if (c == '\n') ++line_;
  }

 private:
  [[nodiscard]] bool inside_function() const {
    return std::ranges::find(scopes_, Scope::function) != scopes_.end();
  }

  void open() {
    const Scope scope = inside_function() ? Scope::other : scope_after(statement_);
    scopes_.push_back(scope);
    if (scope == Scope::open) statement_.clear();
    if (scope == Scope::other && !inside_function()) statement_ += '{';
  }

  void close() {
    if (scopes_.empty()) return;
    const Scope scope = scopes_.back();
    scopes_.pop_back();
    if (scope == Scope::function) {
      const int lines = line_ - start_ + 1;
      if (lines > kFunctionLinesMax) {
        findings_.push_back({file_, start_,
                             fmt::format("{} has {} lines, {} are allowed", name_of(statement_),
                                         lines, kFunctionLinesMax)});
      }
      statement_.clear();
    } else if (scope == Scope::open) {
      statement_.clear();
    } else if (!inside_function()) {
      statement_ += '}';  // end of an initialiser: the statement continues
    }
  }

  std::string file_;
  std::vector<Finding>& findings_;
  std::vector<Scope> scopes_;
  std::string statement_;  ///< everything since the last `;` or brace, outside functions
  int start_ = 1;          ///< first line of the statement
  int line_ = 1;
};

}  // namespace

std::vector<Finding> length_findings(const SourceFile& file) {
  std::vector<Finding> findings;
  const std::vector<std::string> lines = lines_of(file.text);
  const int most = file.path.ends_with(".h") ? kHeaderLinesMax : kSourceLinesMax;
  if (const int count = static_cast<int>(lines.size()); count > most) {
    findings.push_back({file.path, count, fmt::format("{} lines, {} are allowed", count, most)});
  }
  return findings;
}

std::vector<Finding> function_findings(const SourceFile& file) {
  std::vector<Finding> findings;
  FunctionFinder finder(file.path, findings);
  for (const char c : without_directives(code_only(file.text))) finder.read(c);
  return findings;
}

std::vector<Finding> first_line_findings(const SourceFile& file) {
  const std::string line = file.text.substr(0, file.text.find('\n'));
  const auto say = [&](const char* what) { return std::vector<Finding>{{file.path, 1, what}}; };
  // The description of a source is in its header, if the source begins by including it.
  const std::string stem = file.path.substr(0, file.path.rfind('.'));
  if (line == "#include \"" + stem + ".h\"") return {};
  if (!line.starts_with("// "))
    return say("the first line is a comment that says what the file is");
  if (line.find(" and ") != std::string::npos)
    return say("the first line says one thing: no \"and\"");
  const std::size_t stop = line.find(". ");
  if (!line.ends_with('.') || stop != std::string::npos)
    return say("the first line is one sentence");
  return {};
}

std::vector<Finding> readme_findings(const SourceFile& file) {
  const int lines = static_cast<int>(lines_of(file.text).size());
  if (file.path == "README.md" || lines <= kReadmeLinesMax) return {};
  return {{file.path, lines, fmt::format("{} lines, {} are allowed", lines, kReadmeLinesMax)}};
}

std::vector<Finding> layout_findings(const std::vector<std::string>& paths) {
  static const std::set<std::string, std::less<>> allowed = {
      "CMakeLists.txt", "CMakePresets.json", "sim",     "exec", "models",
      "scenarios",      "reports",           "tests",   "dev",  "README.md",
      "CHANGELOG.md",   "LICENSE",           "main.cpp"};
  std::vector<Finding> findings;
  std::set<std::string> seen;
  for (const std::string& path : paths) {
    const std::string top = top_of(path);
    if (seen.insert(top).second && !top.starts_with('.') && !allowed.contains(top)) {
      findings.push_back({top, 1, "does not belong at the top level"});
    }
  }
  for (const char* folder : {"models", "scenarios", "reports", "sim", "exec", "tests"}) {
    const std::string readme = fmt::format("{}/README.md", folder);
    if (std::ranges::find(paths, readme) == paths.end()) {
      findings.push_back({readme, 1, "is missing"});
    }
  }
  return findings;
}

int product_lines(const std::vector<SourceFile>& tree) {
  int lines = 0;
  for (const SourceFile& file : tree) {
    static const std::set<std::string> kProduct{"models", "scenarios", "reports",
                                                "sim",    "exec",      "main.cpp"};
    if (kProduct.contains(top_of(file.path))) lines += static_cast<int>(lines_of(file.text).size());
  }
  return lines;
}

}  // namespace foretrain::house
