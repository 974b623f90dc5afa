// The YAML tree, with its limits.
#include "scenarios/language/value.h"

#include "scenarios/language/text_guard.h"
#include "tests/scenarios/messages.h"

using namespace foretrain;

namespace {

std::string yaml_error(const std::string& text) {
  return error_of([&] { parse_yaml(text, "x.yaml"); });
}

/// `levels` nested lists, each with nine times the values of the previous one: 9^levels values.
std::string alias_bomb(int levels) {
  std::string text = "foretrain: 1\nl0: &l0 [a, a, a, a, a, a, a, a, a]\n";
  for (int level = 1; level < levels; ++level) {
    const std::string below = "*l" + std::to_string(level - 1);
    text += "l" + std::to_string(level) + ": &l" + std::to_string(level) + " [" + below;
    for (int i = 1; i < 9; ++i) text += ", " + below;
    text += "]\n";
  }
  return text;
}

}  // namespace

TEST_CASE("yaml: every value knows its line and column") {
  const Value root = parse_yaml("a: 1\nb:\n  - x\n  - {c: yes}\n", "x.yaml");
  REQUIRE(root.kind == Value::Kind::map);
  CHECK(to_text(root.find("a")->mark) == "x.yaml:1:1");
  CHECK(to_text(root.find("a")->value.mark) == "x.yaml:1:4");
  const Value& list = root.find("b")->value;
  REQUIRE(list.items.size() == 2);
  CHECK(to_text(list.items[0].mark) == "x.yaml:3:5");
  CHECK(to_text(list.items[1].find("c")->value.mark) == "x.yaml:4:9");
  CHECK(list.items[1].find("c")->value.text == "yes");
}

TEST_CASE("yaml: aliases stand for what their anchor held") {
  const Value root = parse_yaml("a: &x {k: [1, 2]}\nb: *x\n", "x.yaml");
  CHECK(to_flow(root.find("b")->value) == to_flow(root.find("a")->value));
  CHECK(to_text(root.find("b")->value.find("k")->mark) == "x.yaml:1:8");
}

TEST_CASE("yaml: a binary file is named by its first byte that is no text") {
  CHECK(yaml_error("\x7f"
                   "ELF\x02") == "x.yaml:1:1: byte 0x7f is not text; is this a scenario file?");
  CHECK(yaml_error(std::string("a: 1\nb: \0", 9)) ==
        "x.yaml:2:4: byte 0x00 is not text; is this a scenario file?");
  CHECK(yaml_error("a: \xff\xfe") == "x.yaml:1:4: byte 0xff is not text; is this a scenario file?");
  CHECK(yaml_error("a: \xc0\xaf").find("x.yaml:1:4: byte 0xc0") == 0);          // overlong
  CHECK(yaml_error("a: \xed\xa0\x80").find("x.yaml:1:4: byte 0xed") == 0);      // surrogate
  CHECK(yaml_error("a: \xf4\x90\x80\x80").find("x.yaml:1:4: byte 0xf4") == 0);  // above U+10FFFF
  CHECK(yaml_error("a: \xe2\x82").find("x.yaml:1:4: byte 0xe2") == 0);          // truncated
  CHECK(parse_yaml("a: \u00fc\u20ac\U0001f600\n", "x.yaml").find("a")->value.text ==
        "\u00fc\u20ac\U0001f600");
}

TEST_CASE("yaml: a file over 1 MB is refused") {
  CHECK(yaml_error(std::string(1'000'001, '#')).find("x.yaml:1:1000001: the file is longer") == 0);
}

TEST_CASE("yaml: an alias bomb ends at the alias that would burst the bound") {
  CHECK(yaml_error(alias_bomb(12)) ==
        "x.yaml:6:10: more than 10000 values, aliases expanded; write less");
  // Expanding this one would take forever.
  CHECK(yaml_error(alias_bomb(1'000)).find("more than 10000 values") != std::string::npos);
}

TEST_CASE("yaml: a long text that many aliases repeat is refused as a bomb is") {
  std::string text = "a: &a " + std::string(500'000, 'x') + "\nb: [*a";
  for (int i = 0; i < 9'000; ++i) text += ", *a";
  text += "]\n";
  CHECK(yaml_error(text).find("x.yaml:2:29: more than 4 MB of text") == 0);
}

TEST_CASE("yaml: an alias inside its own anchor is refused") {
  CHECK(yaml_error("a: &a [*a]\n") ==
        "x.yaml:1:8: an alias inside its own anchor; write the value out");
}

TEST_CASE("yaml: the second of two equal keys is blamed, naming the first") {
  CHECK(yaml_error("a: 1\nb: 2\na: 3\n") ==
        "x.yaml:3:1: a: given a second time, first in line 1; remove one");
  CHECK(yaml_error("t: {a: 1, b: 1, a: 2}\n").find("x.yaml:1:17: a: given a second") == 0);
}

TEST_CASE("yaml: nesting ends at fifty") {
  const auto nested = [](int depth) {
    return std::string(static_cast<std::size_t>(depth), '[') +
           std::string(static_cast<std::size_t>(depth), ']');
  };
  CHECK(yaml_error(nested(50)) == "(no error)");
  CHECK(yaml_error(nested(51)) == "x.yaml:1:51: nested more than 50 deep; write it flatter");
  CHECK(yaml_error(nested(400'000)).find("nested more than 50 deep") != std::string::npos);
}

TEST_CASE("yaml: aliases cannot nest deeper either") {
  std::string text = "l0: &l0 [a]\n";
  for (int i = 1; i < 60; ++i) {
    text += "l" + std::to_string(i) + ": &l" + std::to_string(i) + " [*l" + std::to_string(i - 1) +
            "]\n";
  }
  CHECK(yaml_error(text).find("nested more than 50 deep") != std::string::npos);
}

TEST_CASE("yaml: too many values are refused without any alias") {
  std::string text = "[1";
  for (int i = 1; i < 10'000; ++i) text += ",1";
  CHECK(yaml_error(text + "]").find("more than 10000 values") != std::string::npos);
}

TEST_CASE("yaml: a second document is refused where it begins") {
  CHECK(yaml_error("a: 1\n---\nb: 2\n").find("x.yaml:2:1: a second YAML document begins here") ==
        0);
}

TEST_CASE("yaml: keys are words") {
  CHECK(yaml_error("a: 1\n? [1, 2]\n: 3\n").find("x.yaml:2:3: a key that is a list or a mapping") ==
        0);
  CHECK(yaml_error("~: 3\n").find("x.yaml:1:1: an empty key") == 0);
  CHECK(yaml_error("a: &a x\n*a : 3\n").find("x.yaml:2:1: an alias as a key") == 0);
}

TEST_CASE("yaml: a tag is refused, quotes are none") {
  CHECK(yaml_error("a: !!int 5\n").find("x.yaml:1:4: a tag, tag:yaml.org,2002:int: tags") == 0);
  CHECK(yaml_error("a: !x 5\n").find("x.yaml:1:4: a tag, !x: tags are not used here; remove") == 0);
  CHECK(yaml_error("a: !x [5]\n").find("x.yaml:1:4: a tag, !x") == 0);
  CHECK(yaml_error("a: !x {b: 5}\n").find("x.yaml:1:4: a tag, !x") == 0);
  CHECK(yaml_error("!!str a: 5\n").find("x.yaml:1:1: a tag, ") == 0);
  CHECK(parse_yaml("a: '5'\nb: \"6\"\n", "x.yaml").entries.size() == 2);
}

TEST_CASE("yaml: nothing but comments is an empty file") {
  CHECK(yaml_error("") == "x.yaml:1:1: the file is empty; is this a scenario file?");
  CHECK(yaml_error("# nothing\n") == "x.yaml:1:1: the file is empty; is this a scenario file?");
}

TEST_CASE("yaml: what is not YAML is told with its place") {
  CHECK(yaml_error("a: [1, 2\n").find("x.yaml:2:1: not YAML: ") == 0);
  CHECK(yaml_error("a: 1\n\tb: 2\n").find("x.yaml:2:") == 0);
  CHECK(yaml_error("a: *nobody\n").find("x.yaml:1:4: not YAML: ") == 0);
}

TEST_CASE("yaml: a missing file is told by its name") {
  CHECK(error_of([] { load_yaml("no/such/file.yaml"); }) ==
        "no/such/file.yaml: no such file; check the path");
  CHECK(error_of([] { load_yaml("/"); }).find("/: a folder") == 0);
}

TEST_CASE("yaml: an escape that the parser makes a lone byte of is refused") {
  CHECK(error_of([] { parse_yaml("key: \"a\\Nb\"", "x.yaml"); }) ==
        "x.yaml:1:6: an escape that is no UTF-8; write the character, or \\u and its code");
  CHECK(error_of([] { parse_yaml("\"\\_\": 1", "x.yaml"); }).find("x.yaml:1:1: an escape") == 0);
}

TEST_CASE("yaml: a control character is refused at its place, also where it is an escape") {
  const auto wrong = [](const std::string& text) {
    return error_of([&] { parse_yaml(text, "x.yaml"); });
  };
  CHECK(wrong("a: 1\nname: \"\\0\"\n") ==
        "x.yaml:2:7: name: a control character, U+0000; remove it");
  CHECK(wrong("name: \"x\\e[31m\"").find("x.yaml:1:7: name: a control character, U+001B") == 0);
  CHECK(wrong("name: \"a\\rb\"").find("U+000D") != std::string::npos);
  CHECK(wrong("name: \"\\x7f\"").find("U+007F") != std::string::npos);
  CHECK(wrong("name: \"\\u009b31m\"").find("U+009B") != std::string::npos);
  CHECK(wrong("name: a\u009bb").find("x.yaml:1:8: byte 0xc2") == 0);
  CHECK(wrong("[a, \"\\a\"]").find("x.yaml:1:5: a control character, U+0007") == 0);
  CHECK(wrong("\"a\\nb\": 1").find("x.yaml:1:1: a control character, U+000A") == 0);
  CHECK(parse_yaml("name: \u00a0\u00e4\n", "x.yaml").find("name") != nullptr);
  CHECK(printable("a\tb\nc\x1b[1m\u009b\u00e4\x7f") == "a\tb\nc\\u001b[1m\\u009b\u00e4\\u007f");
}

TEST_CASE("yaml: any text is written so that it reads back") {
  for (const std::string text :
       {"",    "~",           "null",          "on",           "- a",    "a: b", "a #b", "#a",
        " a ", "it's \"so\"", "line\nbreak\n", "tab\t",        "[1, 2]", "{a}",  "*a",   "&a",
        "!a",  "|",           "1.5",           "\u00e4\u20ac", "a\\n",   "%x",   "@x",   "---",
        "?",   "a:"}) {
    Value map;
    map.kind = Value::Kind::map;
    Value scalar;
    scalar.kind = Value::Kind::scalar;
    scalar.text = text;
    map.entries.push_back({"key", {}, scalar});
    const std::string yaml = to_yaml(map);
    INFO(yaml);
    const Value back = parse_yaml(yaml, "x.yaml");
    CHECK(back.find("key")->value.kind == Value::Kind::scalar);
    CHECK(back.find("key")->value.text == text);
    const Value alone = parse_yaml(to_yaml(scalar), "x.yaml");
    CHECK(alone.kind == Value::Kind::scalar);
    CHECK(alone.text == text);
  }
}
