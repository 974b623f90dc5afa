#include "reports/serve/question.h"

#include "reports/record/wrapped_text.h"
#include "scenarios/language/file_errors.h"
#include "scenarios/language/input_error.h"
#include "scenarios/language/text_guard.h"
#include "scenarios/language/value.h"
#include "scenarios/library/library.h"
#include "scenarios/resolve/colocated_jobs.h"
#include "scenarios/resolve/expand_sweep.h"
#include "scenarios/resolve/read.h"
#include "scenarios/resolve/relative_paths.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <utility>

namespace foretrain::serve {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr const char* kQuestion = "question";  // in error messages

std::string text_in(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || found->is_null()) return {};
  if (!found->is_string())
    throw InputError(fmt::format("{}: {}: is no text; write one", kQuestion, key));
  return found->get<std::string>();
}

/// All cases of the text, as read_scenario returns for a file.
std::vector<Case> cases_of_text(const Question& question, const std::string& source,
                                const std::vector<std::string>& overrides) {
  std::vector<Case> cases = parse_scenario(question.text, source, overrides);
  for (Case& each : cases) {
    if (!question.file.empty()) {
      resolve_relative_paths(each.scenario, fs::path(in_library(question.file)).parent_path());
    }
    colocated_cases(each);  // reports errors in them early
  }
  return cases;
}

/// The case with most settings of `label`, with fewest others; the first if there is no label.
const Case& case_like(const std::vector<Case>& cases, const std::string& label) {
  if (label.empty()) return cases.front();
  return *std::ranges::max_element(cases, {}, [&](const Case& each) {
    std::ptrdiff_t likeness = -std::ssize(each.settings);
    for (const Setting& setting : each.settings) {
      const std::string part = "," + Case{{setting}, {}, {}}.label() + ",";
      if (("," + label + ",").find(part) != std::string::npos) likeness += 2;
    }
    return likeness;
  });
}

/// Whether the file has this text, so that commands can name it.
bool is_text_of(const std::string& file, const std::string& text) {
  try {
    return read_text(in_library(file)) == text;
  } catch (const InputError&) {
    return false;
  }
}

/// Removes a number and a colon from the beginning of `text`; returns the number.
std::optional<int> number_before_colon(std::string_view& text) {
  int number = 0;
  const auto [read, wrong] = std::from_chars(text.data(), text.data() + text.size(), number);
  const auto digits = static_cast<std::size_t>(read - text.data());
  if (wrong != std::errc{} || digits >= text.size() || text[digits] != ':') return std::nullopt;
  text.remove_prefix(digits + 1);
  return number;
}

}  // namespace

Question read_question(std::string_view text) {
  const Json json =
      nested_too_deep(text) ? Json() : Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) throw InputError(fmt::format("{}: is no object; write one", kQuestion));
  const Json texts = json.flatten();
  for (auto each = texts.begin(); each != texts.end(); ++each) {
    const std::string& key = each.key();
    if (!each->is_string() || key == "/text") continue;  // checked by its own reader
    refuse_controls(each->get<std::string>(), fmt::format("{}{}: ", kQuestion, key),
                    key.starts_with("/controls/set/") ? kLayout : "");
  }
  Question question;
  question.file = text_in(json, "file");
  question.text = text_in(json, "text");
  question.label = text_in(json, "case");
  if (const auto controls = json.find("controls"); controls != json.end()) {
    question.controls = read_controls(*controls);
  }
  return question;
}

std::string Asked::yaml() const {
  if (overrides.empty()) return question.text;
  Value root = parse_yaml(question.text, source);
  for (const std::string& each : overrides) apply_override(root, each);
  return to_yaml(root);
}

Case Asked::with(const std::vector<std::string>& more) const {
  std::vector<std::string> all = overrides;
  all.insert(all.end(), more.begin(), more.end());
  return case_like(cases_of_text(question, source, all), label);
}

std::vector<std::string> Asked::words(std::string_view verb, const std::vector<std::string>& more,
                                      const std::vector<std::string>& last) const {
  std::vector<std::string> words{std::string(verb), source};
  for (const auto* part : {&overrides, &more}) {
    for (const std::string& each : *part) {
      words.emplace_back("--set");
      words.push_back(each);
    }
  }
  words.insert(words.end(), last.begin(), last.end());
  return words;
}

std::string Asked::command(std::string_view verb, const std::vector<std::string>& more,
                           const std::vector<std::string>& last) const {
  std::string text = "foretrain";
  for (const std::string& word : words(verb, more, last)) text += " " + shell_word(word);
  return text;
}

Asked read_asked(Question question) {
  Asked asked;
  asked.unsaved = question.file.empty() || !is_text_of(question.file, question.text);
  asked.source = question.file.empty() ? kTypedSource : question.file;
  if (asked.unsaved) asked.source = fs::path(asked.source).filename().string();
  asked.question = std::move(question);
  const Question& of = asked.question;
  asked.cases = cases_of_text(of, asked.source, {});
  const Case base = case_like(asked.cases, of.label);
  asked.overrides = overrides_of(of.controls, base);
  try {
    if (!asked.overrides.empty()) asked.cases = cases_of_text(of, asked.source, asked.overrides);
  } catch (const InputError&) {  // they do not fit all cases; the shown one may be alone
    if (base.settings.empty()) throw;
    for (const Setting& each : base.settings) {
      asked.overrides.insert(asked.overrides.begin(), fmt::format("{}={}", each.key, each.value));
    }
    asked.cases = cases_of_text(of, asked.source, asked.overrides);
  }
  asked.scenario_case = case_like(asked.cases, base.settings.empty() ? "" : base.label());
  if (!asked.scenario_case.settings.empty()) asked.label = asked.scenario_case.label();
  return asked;
}

Json error_json(const std::string& message, const std::string& source) {
  Json json{{"line", Json()}, {"column", Json()}, {"message", message}};
  if (!message.starts_with(source + ":")) return json;
  std::string_view rest = std::string_view(message).substr(source.size() + 1);
  const auto line = number_before_colon(rest);
  if (!line) return json;
  const auto column = number_before_colon(rest);
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  return {
      {"line", *line}, {"column", column ? Json(*column) : Json()}, {"message", std::string(rest)}};
}

}  // namespace foretrain::serve
