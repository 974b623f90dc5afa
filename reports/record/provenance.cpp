#include "reports/record/provenance.h"

#include "reports/record/files.h"
#include "reports/record/json_object.h"

#include <nlohmann/json.hpp>

#include <string>

namespace foretrain {

namespace fs = std::filesystem;

void write_provenance(const Provenance& provenance, const fs::path& folder) {
  const nlohmann::ordered_json json{{"build", provenance.build},
                                    {"date", provenance.date},
                                    {"host", provenance.host},
                                    {"processor", provenance.processor},
                                    {"command", provenance.command}};
  const auto repair = nlohmann::ordered_json::error_handler_t::replace;  // may be invalid UTF-8
  write_text_file(folder / kProvenanceFile, json.dump(2, ' ', false, repair) + "\n");
}

std::optional<Provenance> read_provenance(const fs::path& folder) {
  const fs::path path = folder / kProvenanceFile;
  if (!fs::exists(path)) return {};
  const auto json = parse_json(read_text_file(path), path.string(), kDamagedFile);
  const JsonObject file(json, path.string() + ":", kDamagedFile);
  return Provenance{file.text("build"), file.text("date"), file.text("host"), file.texts("command"),
                    file.has("processor") ? file.text("processor") : std::string()};
}

}  // namespace foretrain
