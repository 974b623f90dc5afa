// Sizes, first lines, the layout of the tree.
#include "tests/house/checks.h"
#include "tests/house/tree.h"

#include <catch2/catch.hpp>

#include <string>

using namespace foretrain::house;

namespace {

template <class Check>
std::vector<Finding> over_tree(const std::vector<std::string>& endings, Check check) {
  std::vector<Finding> findings;
  for (const SourceFile& file : files_of_tree(endings)) {
    for (const Finding& finding : check(file)) findings.push_back(finding);
  }
  return findings;
}

std::string repeated(const std::string& line, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += line;
  return text;
}

}  // namespace

TEST_CASE("size: no header or source of the tree is too long") {
  const auto findings = over_tree({".h", ".cpp"}, length_findings);
  INFO(describe(findings));
  CHECK(findings.empty());
}

TEST_CASE("size: no function of the tree is too long") {
  const auto findings = over_tree({".h", ".cpp"}, function_findings);
  INFO(describe(findings));
  CHECK(findings.empty());
}

TEST_CASE("size: each file of the tree says in one sentence what it is") {
  const auto findings = over_tree({".h", ".cpp"}, first_line_findings);
  INFO(describe(findings));
  CHECK(findings.empty());
}

TEST_CASE("size: the README of a folder is short") {
  const auto findings = over_tree({"README.md"}, readme_findings);
  INFO(describe(findings));
  CHECK(findings.empty());
}

TEST_CASE("size: the product keeps to its budget of lines") {
  const int lines = product_lines(files_of_tree({".h", ".cpp", ".js", ".css", ".html", ".py"}));
  CHECK(lines > kProductLinesMax / 2);
  CHECK(lines <= kProductLinesMax);
}

TEST_CASE("size: lines of tests and scripts at the root are no lines of the product") {
  CHECK(product_lines({{"models/a.h", "1\n2\n"},
                       {"main.cpp", "3\n"},
                       {"reports/show/page/a.js", "4\n5"},
                       {"tests/a.cpp", "no\n"},
                       {"tests/sim/b.cpp", "no\n"}}) == 5);
}

TEST_CASE("layout: the top level holds what belongs there, each folder has a README") {
  const auto findings = layout_findings(paths_of_tree());
  INFO(describe(findings));
  CHECK(findings.empty());
}

TEST_CASE("size: a long header is found, a source may be twice as long") {
  CHECK(length_findings({"models/a.h", repeated("int a;\n", 200)}).empty());
  CHECK(length_findings({"models/a.h", repeated("int a;\n", 201)}).size() == 1);
  CHECK(length_findings({"models/a.cpp", repeated("int a;\n", 400)}).empty());
  CHECK(length_findings({"tests/a.cpp", repeated("int a;\n", 401)}).size() == 1);
}

TEST_CASE("size: a long function is found, whatever it looks like") {
  const std::string head = GENERATE(
      "void f() {\n", "TEST_CASE(\"f: does\") {\n", "int A::f(int a) const {\n",
      "auto f(std::vector<int> a = {}) -> int {\n", "A::A(int a) : a_(a), b_{a} {\n",
      "class A {\n public:\n  void f() noexcept override {\n", "auto f = [](int a) {\n",
      "template <class T>\nvoid f(T a) requires std::integral<T> {\n", "Table t = {{1, [](int) {\n",
      "#define X \\\n  {\nvoid f() {\n", "struct A {\n  A() : a{1} {\n",
      "namespace x {\nenum class E { a, b };\nconst std::map<int, int> kM = {{1, 2}};\nint f() "
      "{\n");
  const auto text_of = [&](int lines) {
    return "// A file.\n" + head + "  if (a) {\n" + repeated("    b();\n", lines) + "  }\n}\n";
  };
  CAPTURE(head);
  CHECK(function_findings({"models/a.h", text_of(64)}).empty());
  CHECK(function_findings({"models/a.h", text_of(70)}).size() == 1);
}

TEST_CASE("size: the limit is 70 lines from the signature to the closing brace") {
  const auto text_of = [](int lines) {
    return "int a;\n\nvoid f(int b,\n       int c) {\n" + repeated("  d();\n", lines) + "}\n";
  };
  CHECK(function_findings({"sim/a.cpp", text_of(67)}).empty());
  CHECK(describe(function_findings({"sim/a.cpp", text_of(68)})) ==
        "sim/a.cpp:3: f has 71 lines, 70 are allowed\n");
}

TEST_CASE("size: long types, namespaces or tables are not functions") {
  const std::string head = GENERATE(
      "struct A {\n", "namespace a::b {\n", "template <class T>\nclass A : public B<T> {\n",
      "constexpr auto kTable = std::to_array<int>({\n", "const int kTable[] = {\n",
      "std::vector<int> table{\n", "extern \"C\" {\n", "enum class A : int {\n");
  CAPTURE(head);
  CHECK(function_findings({"sim/a.cpp", head + repeated("  1,\n", 100) + "};\n"}).empty());
}

TEST_CASE("first line: it is one sentence that says one thing") {
  const auto findings_of = [](const std::string& line) {
    return first_line_findings({"sim/a.h", line + "\n#pragma once\n"}).size();
  };
  CHECK(findings_of("// The events of a simulation.") == 0);
  CHECK(findings_of("#pragma once") == 1);
  CHECK(findings_of("// The events and the clock.") == 1);
  CHECK(findings_of("// The events. Their clock.") == 1);
  CHECK(findings_of("// The events, which are so many that the sentence goes on") == 1);
}

TEST_CASE("layout: a stray file at the top level is found, so is a long or a missing README") {
  std::vector<std::string> paths = {
      "CMakeLists.txt", ".ci/run",        "models/README.md", "reports/README.md",
      "sim/README.md",  "exec/README.md", "tests/README.md",  "scenarios/README.md"};
  CHECK(layout_findings(paths).empty());
  paths.emplace_back("notes.txt");
  paths.emplace_back("tools/x.py");
  paths.erase(paths.begin() + 4);
  CHECK(describe(layout_findings(paths)) ==
        "notes.txt:1: does not belong at the top level\n"
        "tools:1: does not belong at the top level\n"
        "sim/README.md:1: is missing\n");
  CHECK(readme_findings({"sim/README.md", repeated("a\n", kReadmeLinesMax + 1)}).size() == 1);
  CHECK(readme_findings({"sim/README.md", repeated("a\n", kReadmeLinesMax)}).empty());
}
