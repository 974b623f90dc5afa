#include "reports/cli/whatif_commands.h"

#include "reports/record/files.h"
#include "reports/show/page/report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace foretrain {

int whatif_cases(const Answer& answer, const std::vector<Case>& cases, const AskWhatIf& ask) {
  using Json = nlohmann::ordered_json;
  for (const Case& each : cases) prepare_folder(answer.folder_of(each));
  answer_cases(answer, cases, [&](const Case& each, Json& answers) {
    const WhatIf whatif = ask(each);
    const auto folder = answer.folder_of(each);
    const auto file = folder / "whatif.json";
    const std::string text = to_table(whatif);
    answers.push_back(to_json(whatif));
    write_text_file(folder / "whatif.txt", text);
    write_text_file(file,
                    answers.back().dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
    Found found;
    add_folder(file, found);
    found.question = each.scenario.question;
    answer.say(fmt::format("{}\nwritten: {}\n{}", text, folder.string(),
                           write_page(page_of(found), folder)));
    return true;
  });
  return kDone;
}

}  // namespace foretrain
