#include "reports/cli/whatif_commands.h"

#include "reports/cli/folders.h"
#include "reports/record/files.h"
#include "reports/record/interruption.h"
#include "reports/record/json_object.h"
#include "reports/record/wrapped_text.h"
#include "reports/show/page/page_report.h"
#include "reports/show/terminal/result_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace foretrain {

using Json = nlohmann::ordered_json;

namespace {

/// Writes the files of an answer. Returns the lines of write_page.
std::string write_answer(const Result& result, const Json& json, const Scenario& asked,
                         const std::filesystem::path& folder) {
  const FileColumns as_a_file;
  write_text_file(folder / "whatif.txt", to_text(result, true));
  for (const ResultTable& each : result.tables) {
    write_text_file(folder / (each.name + ".csv"), to_csv(each));
  }
  const auto file = folder / "whatif.json";
  write_text_file(file, json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  sign_answer(folder, asked);
  Found found;
  add_folder(file, found);
  return write_page(page_of(found), folder);
}

}  // namespace

int whatif_cases(const Answer& answer, const std::vector<Case>& cases, const AskWhatIf& ask) {
  claim_answers(answer, cases);
  int status = kDone;
  answer_cases(answer, cases, [&](const Case& each, Json& answers) {
    Interruption::check();
    const auto folder = answer.folder_of(each);
    answers.push_back(to_json(ask(each)));
    const Result result = whatif_result(JsonObject(answers.back(), "whatif:"));
    answer.tell(to_text(result, answer.full));
    unless_full(status, [&] {
      const std::string page = write_answer(result, answers.back(), each.scenario, folder);
      answer.tell(fmt::format("\nwritten: {}\n{}", folder.string(), page));
    });
    return status == kDone;
  });
  return status;
}

}  // namespace foretrain
