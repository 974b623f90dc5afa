#include "reports/cli/whatif_commands.h"

#include "reports/cli/failure.h"
#include "reports/cli/folders.h"
#include "reports/record/files.h"
#include "reports/record/interruption.h"
#include "reports/record/text.h"
#include "scenarios/write_error.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace foretrain {

namespace {

void write_answer(const WhatIf& whatif, const nlohmann::ordered_json& json, const Scenario& asked,
                  const std::filesystem::path& folder) {
  const FileColumns as_a_file;
  write_text_file(folder / "whatif.txt", to_table(whatif));
  write_text_file(folder / "whatif.json", json.dump(2) + "\n");
  sign_answer(folder, asked);
}

}  // namespace

int whatif_cases(const Answer& answer, const std::vector<Case>& cases, const AskWhatIf& ask) {
  using Json = nlohmann::ordered_json;
  std::vector<ClaimedPlace> places;
  places.reserve(cases.size());
  for (const Case& each : cases) places.push_back({answer.folder_of(each), each.scenario});
  claim_answers(answer, places);
  Json all = Json::array();
  int status = kDone;
  for (const Case& each : cases) {
    Interruption::check();
    const WhatIf whatif = ask(each);
    const auto folder = answer.folder_of(each);
    const Json json = to_json(whatif);
    all.push_back(json);
    answer.tell(to_table(whatif));
    try {
      write_answer(whatif, json, each.scenario, folder);
    } catch (const WriteError& error) {
      status = tell_failure(error);
      break;
    }
    answer.tell(fmt::format("\nwritten: {}\n", folder.string()));
  }
  const bool sweep = !cases.front().settings.empty();
  if (answer.json) print_json(sweep ? Json{{"cases", all}} : all.front());
  return status;
}

}  // namespace foretrain
