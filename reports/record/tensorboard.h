// A record's scalars as a TensorBoard event file.
#pragma once

#include "reports/record/downsampled.h"
#include "reports/record/record.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace foretrain {

/// Path of the event file in a record's folder. TensorBoard looks for `tfevents` in file names, and
/// shows each folder as a run, so several records in one folder are compared in each chart.
inline constexpr const char* kTensorboardFile = "tensorboard/events.out.tfevents.foretrain";

/// Approximate maximum of events in a file, maximum of nodes (`thinned`, `shown_nodes`).
inline constexpr std::size_t kMostEvents = 200'000;
inline constexpr std::size_t kMostNodesShown = 64;

/// Wall-clock time.
using WallTime = std::chrono::sys_time<std::chrono::nanoseconds>;

/// The event file; empty if the record has no scalars. Tags:
///
///     test/loss [nats], test/accuracy, test/auc
///     loss/NODE [nats], step_time_s/NODE, staleness/NODE   of a worker's step, at its end
///     cpu_percent/NODE, rss_bytes/NODE, tx_bytes_per_s/NODE, rx_bytes_per_s/NODE,
///     nic_tx_bytes_per_s/NODE, nic_rx_bytes_per_s/NODE
///
/// The step of an event is the number of updates at its time, so all strategies and tags have the
/// same axis. An evaluation has that number; for other events it is computed from the number of
/// gradients so far, at the training's mean number of gradients per update (`local_sgd`: the steps
/// between two averagings have the same number). Unknown values are left out. The same arguments
/// give the same bytes.
///
/// `steps`: the record's steps, iterated three times; memory does not grow with their number.
/// `zero`: wall time of the record's time zero. If it is left out, wall times are seconds since all
/// nodes were ready, as for a simulation, whose virtual time has no date.
std::string tensorboard_events(const Record& record, const Steps& steps, WallTime zero = {});
inline std::string tensorboard_events(const Record& record, WallTime zero = {}) {
  return tensorboard_events(record, steps_of(record), zero);
}

/// A record in TensorFlow's format (TFRecord, tensorflow/core/lib/io/record_writer.h): the length,
/// its checksum, the data, its checksum; little-endian.
std::string framed(std::string_view data);

/// CRC-32C (RFC 3720, appendix B.4), rotated and offset as the format requires, so that checksums
/// of data that contains checksums stay sound.
std::uint32_t masked_crc32c(std::string_view data);

}  // namespace foretrain
