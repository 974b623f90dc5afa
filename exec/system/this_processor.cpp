#include "exec/system/this_processor.h"

#include "exec/system/process.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

namespace foretrain::exec {
namespace {

namespace fs = std::filesystem;

// The number at the beginning of `text`; 0 if there is none.
std::int64_t number_of(std::string_view text) {
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// The value after `key` and a colon, if the line begins with them.
std::optional<std::string> value_of(const std::string& line, std::string_view key) {
  if (!line.starts_with(key)) return std::nullopt;
  const auto colon = line.find_first_not_of(" \t", key.size());
  if (colon == std::string::npos || line[colon] != ':') return std::nullopt;
  const auto value = line.find_first_not_of(" \t", colon + 1);
  return value == std::string::npos ? "" : line.substr(value);
}

void read_name(const fs::path& file, Processor& processor) {
  std::ifstream lines(file);
  // A blank line ends the first core.
  for (std::string line; std::getline(lines, line) && !line.empty();) {
    if (const auto name = value_of(line, "model name")) processor.name = *name;
    if (const auto family = value_of(line, "cpu family")) {
      processor.family = static_cast<int>(number_of(*family));
    }
    if (const auto model = value_of(line, "model")) {
      processor.model = static_cast<int>(number_of(*model));
    }
  }
}

std::string line_of(const fs::path& file) {
  std::string line;
  std::getline(std::ifstream(file) >> std::ws, line);
  return line;
}

void read_cache(const fs::path& folder, Processor& processor) {
  if (line_of(folder / "type") == "Instruction") return;
  const std::string size = line_of(folder / "size");  // 2048K
  const Bytes bytes{number_of(size) * (size.ends_with('K') ? 1024 : 1)};
  switch (number_of(line_of(folder / "level"))) {
    case 1:
      processor.l1d = bytes;
      break;
    case 2:
      processor.l2 = bytes;
      break;
    case 3:
      processor.l3 = bytes;
      break;
    default:
      break;
  }
}

// Asks the C library, which reads the processor directly. For a shared cache it reports the sum
// over the socket, of which a core sees only a part: so that size stays unknown.
void ask_library(Processor& processor) {
  const auto told = [](int name) { return Bytes{std::max(0L, sysconf(name))}; };
  if (processor.l1d.value == 0) processor.l1d = told(_SC_LEVEL1_DCACHE_SIZE);
  if (processor.l2.value == 0) processor.l2 = told(_SC_LEVEL2_CACHE_SIZE);
}

}  // namespace

Processor this_processor(const fs::path& root) {
  Processor processor;
  processor.cores = usable_core_count();
  read_name(root / "proc/cpuinfo", processor);
  const fs::path caches = root / "sys/devices/system/cpu/cpu0/cache";
  for (int index = 0; fs::exists(caches / ("index" + std::to_string(index))); ++index) {
    read_cache(caches / ("index" + std::to_string(index)), processor);
  }
  if (root == "/") ask_library(processor);
  return processor;
}

}  // namespace foretrain::exec
