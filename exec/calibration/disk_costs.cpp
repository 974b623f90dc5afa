#include "exec/calibration/disk_costs.h"

#include "exec/calibration/repeater.h"
#include "exec/checkpoint/node_part.h"
#include "models/base/random.h"
#include "models/protocol/node_state.h"
#include "scenarios/language/input_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <system_error>
#include <vector>

namespace foretrain::exec {
namespace {
namespace fs = std::filesystem;

// Floats of a part: 64 KB, as of a softmax regression; 16 MB, as of a small image network.
constexpr std::int64_t kSmallFloats = 16'384;
constexpr std::int64_t kLargeFloats = 4'194'304;
// Smaller spreads do not matter for a checkpoint every few seconds.
constexpr double kSmallFloor_s = 2e-3;
constexpr double kLargeFloor_s = 20e-3;
// A slow disk takes half a second for a large part.
constexpr int kTrials = 3;

Bytes size_of_part(std::int64_t floats) { return state_size(0, floats, 1); }

/// A temporary folder with a node that saves its states there.
class PartFolder {
 public:
  /// @throws InputError if it cannot be created
  explicit PartFolder(const fs::path& place) : floats_(kLargeFloats) {
    std::string name = (place / ".foretrain-disk-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
      const std::error_code error(errno, std::generic_category());
      throw InputError(fmt::format("{}: cannot write: {}", place.string(), error.message()));
    }
    part_.folder = name;
    part_.role = "part";
    // Random, since a disk that compresses would store zeros in no space.
    Stream draw(0, "calibration.disk");
    for (float& value : floats_) value = static_cast<float>(draw.uniform());
  }
  PartFolder(const PartFolder&) = delete;
  PartFolder& operator=(const PartFolder&) = delete;
  ~PartFolder() {
    std::error_code ignored;
    fs::remove_all(part_.folder, ignored);
  }

  /// Saves a state of this many floats, then removes it; returns the seconds.
  /// @throws InputError if the disk fails
  double write_s(std::int64_t floats) {
    SaveState keep;
    keep.cut = ++cut_;
    keep.state = [&] {
      StateWriter state;
      state.floats(std::span(floats_).first(static_cast<std::size_t>(floats)));
      return state.take();
    };
    const WrittenPart written = part_.write(keep);
    if (!written.wrong.empty()) throw InputError(written.wrong);
    part_.remove_before(cut_ + 1);
    return written.took.seconds();
  }

 private:
  NodePart part_;
  std::vector<float> floats_;
  std::int64_t cut_ = 0;
};

}  // namespace

DiskCost disk_through(const PartTime& small, const PartTime& large) {
  constexpr double kLeastByte_s = 1e-14;  // the highest rate that a machine file accepts
  const auto bytes = static_cast<double>(large.size.value);
  const auto fewer = static_cast<double>(small.size.value);
  const double byte_s = (large.time_s - small.time_s) / (bytes - fewer);
  const double latency_s = small.time_s - byte_s * fewer;
  if (byte_s < kLeastByte_s || latency_s < 0) {
    return {{1 / std::max(kLeastByte_s, large.time_s / bytes)}, {}};
  }
  return {{1 / byte_s}, Duration::from_seconds(latency_s)};
}

fs::path place_of_records() {
  std::error_code ignored;
  return fs::is_directory("out", ignored) ? "out" : ".";
}

void measure_disk(Machine& machine, const CalibrateOptions& options, CoreWatch& watch) {
  if (options.progress) options.progress("parts of checkpoints on the disk");
  CalibrateOptions few = options;
  few.repetitions = std::min(options.repetitions, kTrials);
  Repeater repeater(machine, few, watch);
  try {
    PartFolder folder(options.disk.empty() ? place_of_records() : options.disk);
    PartTime small{size_of_part(kSmallFloats)};
    PartTime large{size_of_part(kLargeFloats)};
    repeater.measure({{"disk, part of 64 KB", &small.time_s, kSmallFloor_s},
                      {"disk, part of 16 MB", &large.time_s, kLargeFloor_s}},
                     [&] {
                       small.time_s = folder.write_s(kSmallFloats);
                       large.time_s = folder.write_s(kLargeFloats);
                     });
    machine.disk = disk_through(small, large);
  } catch (const InputError& error) {
    machine.not_measured.push_back(fmt::format("disk: {}", error.what()));
    if (options.progress) options.progress(machine.not_measured.back());
  }
}

}  // namespace foretrain::exec
