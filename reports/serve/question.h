// A question of the page as the command line would ask it.
#pragma once

#include "reports/serve/controls.h"
#include "scenarios/spec/scenario.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace foretrain::serve {

/// What the page posts: `{"file": ..., "text": ..., "case": ..., "controls": {...}}`.
struct Question {
  std::string file;  ///< that the text was read from, as commands name it; empty: it was typed
  std::string text;
  std::string label;  ///< of the case of its sweep that is meant; empty: the first
  Controls controls;
};

/// @throws InputError where it is something else
Question read_question(std::string_view text);

/// A question with its one case.
struct Asked {
  Question question;
  std::string source;    ///< the scenario's file, as messages and commands name it
  bool unsaved = false;  ///< commands find the text there once it is saved there
  std::vector<std::string> overrides;
  Case scenario_case;
  std::vector<std::string> labels;  ///< of the cases of its sweep; empty: it has none
  std::string label;                ///< the chosen one of them

  /// As it is with more laid over it. @throws InputError
  [[nodiscard]] Case with(const std::vector<std::string>& more) const;
  /// `foretrain simulate FILE --set ...`, to be pasted into a shell. `last`: more words, quoted as
  /// they have to be.
  [[nodiscard]] std::string command(std::string_view verb, const std::vector<std::string>& more,
                                    const std::vector<std::string>& last = {}) const;
  /// The words of that command behind the program's name.
  [[nodiscard]] std::vector<std::string> words(std::string_view verb,
                                               const std::vector<std::string>& more,
                                               const std::vector<std::string>& last = {}) const;
};

/// Reads questions. What cases a text has is remembered: sweeps may have thousands. One thread.
class QuestionReader {
 public:
  /// @throws InputError where the scenario, a control is wrong
  Asked read(Question question);

 private:
  const std::vector<Case>& sweep_of(const Question& question, const std::string& source);

  std::string text_;
  std::string source_;
  std::vector<Case> sweep_;  // empty: it has none
};

/// `message` taken apart where it begins with a place in `source`: `line`, `column` (null: it names
/// none), `message`, the rest.
nlohmann::ordered_json error_json(const std::string& message, const std::string& source);

/// Where a text that was typed is saved, as its commands name it.
inline constexpr const char* kTypedSource = "scenario.yaml";

}  // namespace foretrain::serve
