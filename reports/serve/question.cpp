#include "reports/serve/question.h"

#include "reports/record/wrapped_text.h"
#include "scenarios/language/file_errors.h"
#include "scenarios/language/input_error.h"
#include "scenarios/language/text_guard.h"
#include "scenarios/language/value.h"
#include "scenarios/library/library.h"
#include "scenarios/resolve/colocated_jobs.h"
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
  if (question.file.empty()) return cases;
  const fs::path folder = fs::path(in_library(question.file)).parent_path();
  for (Case& each : cases) resolve_relative_paths(each.scenario, folder);
  return cases;
}

Case one_case(const Question& question, const std::string& source,
              const std::vector<std::string>& overrides) {
  std::vector<Case> cases = cases_of_text(question, source, overrides);
  if (cases.size() > 1) {
    throw InputError(
        "--set: makes several cases of it, but the page shows one at a time; write one value");
  }
  colocated_cases(cases.front());  // reports errors in them early
  return std::move(cases.front());
}

/// Whether the tree has the key.
bool stands_in(const Value& root, std::string_view key) {
  const Value* at = &root;
  while (!key.empty()) {
    const std::string_view part = key.substr(0, key.find('.'));
    const Entry* entry = at->find(part);
    if (entry == nullptr) return false;
    at = &entry->value;
    key.remove_prefix(std::min(part.size() + 1, key.size()));
  }
  return true;
}

/// Keys of the text that other cases of the sweep use, but not this one: in the case alone they
/// would be errors. Used keys are those in the YAML of the case.
std::vector<std::string> unused_keys(const Case& scenario_case) {
  const Value written = parse_yaml(to_yaml(scenario_case.scenario), kTypedSource);
  std::vector<std::string> unused;
  for (const auto& [key, place] : scenario_case.places) {
    const bool item = key.find('[') != std::string::npos;
    const bool below = !unused.empty() && key.starts_with(unused.back() + ".");
    if (!item && !below && !stands_in(written, key)) unused.push_back(key);
  }
  return unused;
}

/// The overrides that reduce a text with a sweep to this case.
std::vector<std::string> alone(const Case& scenario_case) {
  std::vector<std::string> overrides{"sweep=null"};
  for (const Setting& setting : scenario_case.settings) {
    overrides.push_back(fmt::format("{}={}", setting.key, setting.value));
  }
  for (const std::string& key : unused_keys(scenario_case)) overrides.push_back(key + "=null");
  return overrides;
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

Case Asked::with(const std::vector<std::string>& more) const {
  std::vector<std::string> all = overrides;
  all.insert(all.end(), more.begin(), more.end());
  return one_case(question, source, all);
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

const std::vector<Case>& QuestionReader::sweep_of(const Question& question,
                                                  const std::string& source) {
  if (question.text == text_ && source == source_) return sweep_;
  std::vector<Case> cases = parse_scenario(question.text, source);
  if (cases.size() == 1 && cases.front().settings.empty()) cases.clear();
  text_ = question.text;
  source_ = source;
  sweep_ = std::move(cases);
  return sweep_;
}

Asked QuestionReader::read(Question question) {
  Asked asked;
  asked.unsaved = question.file.empty() || !is_text_of(question.file, question.text);
  asked.source = question.file.empty() ? kTypedSource : question.file;
  if (asked.unsaved) asked.source = fs::path(asked.source).filename().string();
  asked.question = std::move(question);
  const Question& of = asked.question;
  const std::vector<Case>& sweep = sweep_of(of, asked.source);
  const Case* chosen = sweep.empty() ? nullptr : &sweep.front();
  for (const Case& each : sweep) {
    asked.labels.push_back(each.label());
    if (asked.labels.back() == of.label) chosen = &each;
  }
  if (chosen != nullptr) {
    asked.label = chosen->label();
    asked.overrides = alone(*chosen);
  }
  const Case base = one_case(of, asked.source, asked.overrides);
  const std::vector<std::string> more = overrides_of(of.controls, base);
  asked.overrides.insert(asked.overrides.end(), more.begin(), more.end());
  asked.scenario_case = more.empty() ? base : asked.with({});
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
