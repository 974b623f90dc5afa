// Reading the processor's properties from made-up folders.
#include "exec/system/this_processor.h"

#include "tests/support/temp_folder.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <string>

namespace foretrain::exec {
namespace {

namespace fs = std::filesystem;

void write_below(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

void add_cache(const fs::path& root, int index, const char* level, const char* type,
               const char* size) {
  const fs::path folder =
      root / ("sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index));
  write_below(folder / "level", std::string(level) + "\n");
  write_below(folder / "type", std::string(type) + "\n");
  write_below(folder / "size", std::string(size) + "\n");
}

TEST_CASE("processor: its name, its design, its caches are those of the first core") {
  const TempFolder folder;
  const fs::path root = folder.path();
  write_below(root / "proc/cpuinfo",
              "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 143\n"
              "model name\t: Intel(R) Xeon(R) Platinum: 8481C\nmodel extra\t: 9\n\n"
              "processor\t: 1\nmodel\t\t: 7\nmodel name\t: another\n");
  add_cache(root, 0, "1", "Data", "48K");
  add_cache(root, 1, "1", "Instruction", "32K");
  add_cache(root, 2, "2", "Unified", "2048K");
  add_cache(root, 3, "3", "Unified", "107520K");
  const Processor processor = this_processor(root);
  CHECK(processor.name == "Intel(R) Xeon(R) Platinum: 8481C");
  CHECK(processor.family == 6);
  CHECK(processor.model == 143);
  CHECK(processor.l1d == Bytes{48 << 10});
  CHECK(processor.l2 == Bytes{2 << 20});
  CHECK(processor.l3 == Bytes{105 << 20});
}

TEST_CASE("processor: what nobody says is empty, this machine's cores are counted") {
  const TempFolder folder;
  const Processor processor = this_processor(folder.path());
  CHECK(processor.name.empty());
  CHECK(processor.model == 0);
  CHECK(processor.l2 == Bytes{});
  CHECK(processor.cores >= 1);
}

}  // namespace
}  // namespace foretrain::exec
