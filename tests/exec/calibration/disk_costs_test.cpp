// Calibration of a disk: a line through two parts, no result if nothing can be written.
#include "exec/calibration/disk_costs.h"

#include "tests/support/small_files.h"
#include "tests/support/temp_folder.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace foretrain::testing {
namespace {
using namespace literals;
using Catch::Contains;
using exec::disk_through;

exec::CoreLook looked_away() { return {0.01, 0.01}; }

/// A machine with only the disk measured, with the messages of the measurement.
struct DiskMeasured {
  Machine machine;
  std::vector<std::string> lines;

  explicit DiskMeasured(const std::string& place) {
    exec::CalibrateOptions options;
    options.progress = [this](const std::string& line) { lines.push_back(line); };
    options.repetitions = 1;
    options.disk = place;
    exec::CoreWatch watch(looked_away);
    exec::measure_disk(machine, options, watch);
  }
};

TEST_CASE("disk: a latency and a rate go through a small part and a large one") {
  // 3 ms + bytes at 100 MB/s.
  const DiskCost disk = disk_through({{100'000}, 4e-3}, {{10'000'000}, 103e-3});
  CHECK(disk.write_rate.value == Approx(100e6).epsilon(1e-9));
  CHECK(disk.write_latency == 3_ms);
  CHECK(disk.of({1'000'000}).seconds() == Approx(13e-3).epsilon(1e-6));
}

TEST_CASE("disk: where that line makes no sense the large part says all") {
  // The small part is faster than its share, then as slow as the large one, or slower.
  for (const double small_s : {0.5e-3, 0.1, 0.2}) {
    CAPTURE(small_s);
    const DiskCost disk = disk_through({{100'000}, small_s}, {{10'000'000}, 0.1});
    CHECK(disk.write_rate.value == Approx(100e6).epsilon(1e-9));
    CHECK(disk.write_latency == 0_ms);
  }
  // A machine file accepts even the highest rate.
  CHECK(disk_through({{1}, 0}, {{2}, 0}).write_rate.value <= 1e15);
}

TEST_CASE("disk: what is measured is positive, noted with how sure it is, and nothing stays") {
  const TempFolder folder;
  const DiskMeasured measured(folder.path());
  const Machine& machine = measured.machine;
  CHECK(machine.disk.known());
  CHECK(machine.disk.write_rate.value > 0);
  CHECK(machine.disk.write_latency >= 0_ms);
  REQUIRE(machine.measurements.size() == 2);
  CHECK(machine.measurements[0].figure == "disk, part of 64 KB");
  CHECK(machine.measurements[1].figure == "disk, part of 16 MB");
  CHECK(machine.measurements[1].repetitions >= 1);
  CHECK(machine.not_measured.empty());
  REQUIRE(!measured.lines.empty());
  CHECK(measured.lines.front() == "parts of checkpoints on the disk");
  CHECK(std::filesystem::is_empty(folder.path()));
}

void check_left_out(const DiskMeasured& measured, const std::string& why) {
  const Machine& machine = measured.machine;
  CHECK_FALSE(machine.disk.known());
  CHECK(machine.measurements.empty());
  REQUIRE(machine.not_measured.size() == 1);
  CHECK_THAT(machine.not_measured.front(), Catch::StartsWith("disk: ") && Contains(why));
  CHECK(std::ranges::count(measured.lines, machine.not_measured.front()) == 1);
}

TEST_CASE("disk: a full one is told and left out, and nothing stays") {
  const TempFolder folder;
  {
    const SmallFiles full(1'000'000);  // the small part fits
    check_left_out(DiskMeasured(folder.path()), "cannot write: File too large");
  }
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("disk: a place that nobody can write to is told and left out") {
  const TempFolder folder;
  check_left_out(DiskMeasured(folder / "none"), "none: cannot write: No such file or directory");
}

}  // namespace
}  // namespace foretrain::testing
