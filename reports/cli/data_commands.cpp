#include "reports/cli/data_commands.h"

#include "models/data/open_data.h"
#include "models/data/verify.h"
#include "reports/record/text.h"
#include "scenarios/case_data.h"
#include "scenarios/read.h"

#include <fmt/format.h>

namespace foretrain {
namespace {

constexpr std::size_t kNames = 11;  // columns of the names in front, as models/data lays them out

}  // namespace

std::string list_data() {
  return fmt::format("A scenario's dataset: has one of {} formats.\n\n{}", data_formats().size(),
                     hang(describe_formats(), 9));
}

std::string verify_data(const std::string& path) {
  const std::string found = describe_data(path);
  return fmt::format("{}\n{}", wrap(fmt::format("All of {} was read, nothing is wrong.", path)),
                     hang(found, kNames));
}

std::string draw_data(const std::string& format, const std::vector<std::string>& settings,
                      const std::filesystem::path& folder) {
  std::vector<std::string> overrides{"dataset.format=" + format};
  overrides.reserve(settings.size() + 1);
  for (const std::string& setting : settings) overrides.push_back("dataset." + setting);
  const Case drawn = parse_scenario("foretrain: 1\n", "data draw", overrides).front();
  const std::filesystem::path place =
      folder.empty() ? std::filesystem::path("out/data") / format : folder;
  write_drawn_data(drawn, place);
  const std::string found = describe_data(place.string());
  return fmt::format("{}\n{}",
                     wrap(fmt::format("Drawn and read again: {} in {}.", format, place.string())),
                     hang(found, kNames));
}

}  // namespace foretrain
