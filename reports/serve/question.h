// A question of the page, in the form of a command line.
#pragma once

#include "reports/serve/controls.h"
#include "scenarios/spec/scenario.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace foretrain::serve {

/// The JSON that the page posts: `{"file": ..., "text": ..., "case": ..., "controls": {...}}`.
struct Question {
  std::string file;  ///< source of the text, named as in commands; empty if it was typed
  std::string text;
  std::string label;  ///< chosen case of its sweep; empty: the first
  Controls controls;
};

/// @throws InputError if `text` is not such JSON
Question read_question(std::string_view text);

/// A question resolved to cases, one of which is shown.
struct Asked {
  Question question;
  std::string source;                  ///< the scenario's file as named in messages and commands
  bool unsaved = false;                ///< commands work only after the text is saved to that file
  std::vector<std::string> overrides;  ///< settings of the controls
  std::vector<Case> cases;             ///< with the overrides
  Case scenario_case;                  ///< the shown one
  std::string label;                   ///< label of the shown case; empty without a sweep

  /// The shown case with further overrides. @throws InputError
  [[nodiscard]] Case with(const std::vector<std::string>& more) const;
  /// The text with the overrides, its sweep included.
  [[nodiscard]] std::string yaml() const;
  /// `foretrain simulate FILE --set ...` for all cases, to be pasted into a shell. `last`: further
  /// words.
  [[nodiscard]] std::string command(std::string_view verb, const std::vector<std::string>& more,
                                    const std::vector<std::string>& last = {}) const;
  /// The words of that command after the program's name.
  [[nodiscard]] std::vector<std::string> words(std::string_view verb,
                                               const std::vector<std::string>& more,
                                               const std::vector<std::string>& last = {}) const;
};

/// @throws InputError if the scenario or a control is wrong
Asked read_asked(Question question);

/// Splits a `message` that begins with a place in `source` into `line`, `column` (null if there is
/// none), and `message`, the rest.
nlohmann::ordered_json error_json(const std::string& message, const std::string& source);

/// File name under which a typed text is saved, as in its commands.
inline constexpr const char* kTypedSource = "scenario.yaml";

}  // namespace foretrain::serve
