#include "reports/commands/data_commands.h"

#include "models/data/verify.h"
#include "scenarios/read.h"
#include "scenarios/training.h"

#include <fmt/format.h>

namespace foretrain {

std::string draw_data(const std::string& format, const std::vector<std::string>& settings,
                      const std::filesystem::path& folder) {
  std::vector<std::string> overrides{"dataset.format=" + format};
  overrides.reserve(settings.size() + 1);
  for (const std::string& setting : settings) overrides.push_back("dataset." + setting);
  const Case drawn = parse_scenario("foretrain: 1\n", "data draw", overrides).front();
  const std::filesystem::path place =
      folder.empty() ? std::filesystem::path("out/data") / format : folder;
  write_drawn_data(drawn, place);
  return fmt::format("{}{}\n", describe_data(place.string()), place.string());
}

}  // namespace foretrain
