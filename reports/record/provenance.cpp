#include "reports/record/provenance.h"

#include "reports/record/files.h"
#include "scenarios/input_error.h"
#include "scenarios/json_nesting.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace foretrain {

namespace fs = std::filesystem;

void write_provenance(const Provenance& provenance, const fs::path& folder) {
  const nlohmann::ordered_json json{{"build", provenance.build},
                                    {"date", provenance.date},
                                    {"host", provenance.host},
                                    {"processor", provenance.processor},
                                    {"command", provenance.command}};
  const auto repair = nlohmann::ordered_json::error_handler_t::replace;  // words are bytes
  write_text_file(folder / kProvenanceFile, json.dump(2, ' ', false, repair) + "\n");
}

std::optional<Provenance> read_provenance(const fs::path& folder) {
  const fs::path path = folder / kProvenanceFile;
  if (!fs::exists(path)) return {};
  const std::string text = read_text_file(path);
  if (const auto line = nested_too_deep(text)) {
    throw InputError(
        fmt::format("{}:{}: nested too deep; the file is damaged", path.string(), *line));
  }
  try {
    const auto json = nlohmann::json::parse(text);
    return Provenance{json.at("build"), json.at("date"), json.at("host"), json.at("command"),
                      json.value("processor", "")};
  } catch (const nlohmann::json::exception& error) {
    throw InputError(fmt::format("{}: {}; the file is damaged", path.string(), error.what()));
  }
}

}  // namespace foretrain
