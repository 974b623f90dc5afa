#include "reports/record/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace foretrain {

std::string simulated_on(std::string_view machine, std::string_view uncalibrated) {
  return fmt::format("simulated on {}, {}{}", machine.empty() ? "a machine" : machine,
                     uncalibrated.empty() ? "calibrated" : "uncalibrated: ", uncalibrated);
}

std::string source_of(const Record& record) {
  if (record.mode == Mode::simulate) return simulated_on(record.machine, record.uncalibrated);
  return fmt::format("run on {}, {} kernels", record.machine.empty() ? "a machine" : record.machine,
                     record.kernel_set);
}

std::string source_of(const std::vector<Record>& records) {
  std::vector<std::string> sources;
  for (const Record& record : records) {
    std::string source = source_of(record);
    if (std::ranges::find(sources, source) == sources.end()) sources.push_back(std::move(source));
  }
  return fmt::format("{}", fmt::join(sources, "; "));
}

}  // namespace foretrain
