#include "reports/cli/whatif_commands.h"

#include "reports/record/files.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace foretrain {

int whatif_cases(const Answer& answer, const std::vector<Case>& cases, const AskWhatIf& ask) {
  using Json = nlohmann::ordered_json;
  for (const Case& each : cases) prepare_folder(answer.folder_of(each));
  Json all = Json::array();
  for (const Case& each : cases) {
    const WhatIf whatif = ask(each);
    const auto folder = answer.folder_of(each);
    const Json json = to_json(whatif);
    const std::string text = to_table(whatif);
    write_text_file(folder / "whatif.txt", text);
    write_text_file(folder / "whatif.json", json.dump(2) + "\n");
    all.push_back(json);
    answer.say(fmt::format("{}\nwritten: {}\n", text, folder.string()));
  }
  const bool sweep = !cases.front().settings.empty();
  if (answer.json) print_json(sweep ? Json{{"cases", all}} : all.front());
  return kDone;
}

}  // namespace foretrain
