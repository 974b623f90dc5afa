// A record's scalars as TensorBoard reads them.
#pragma once

#include "reports/record/record.h"
#include "reports/record/shown.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace foretrain {

/// Its place in a record's folder. TensorBoard looks for `tfevents` in the name; the folder is what
/// it calls a run, so several records side by side are compared chart by chart.
inline constexpr const char* kTensorboardFile = "tensorboard/events.out.tfevents.foretrain";

/// At most about this many events a file, and nodes in it (`thinned`, `shown_nodes`).
inline constexpr std::size_t kMostEvents = 200'000;
inline constexpr std::size_t kMostNodesShown = 64;

/// What a clock on the wall shows.
using WallTime = std::chrono::sys_time<std::chrono::nanoseconds>;

/// The event file; empty where the record has nothing to show. Tags:
///
///     test/loss [nats], test/accuracy, test/auc
///     loss/NODE [nats], step_time_s/NODE, staleness/NODE   of the worker; time: their end
///     cpu_percent/NODE, rss_bytes/NODE, tx_bytes_per_s/NODE, rx_bytes_per_s/NODE,
///     nic_tx_bytes_per_s/NODE, nic_rx_bytes_per_s/NODE
///
/// The step of every event is how many updates of the parameters there were by then, so that one
/// axis serves all strategies, all tags: an evaluation says so itself; elsewhere they are counted
/// by the gradients that had come in, of which so many make an update (steps of `local_sgd` between
/// two averagings share theirs). What is not known is left out. The same arguments give the same
/// bytes.
///
/// `steps`: those of the record, looked at three times; what is in memory of them at once does not
/// grow with their number. `zero`: when the record's times are zero, for the wall times of the
/// events. Left out, they are seconds since every node was ready: a simulation, whose time is
/// virtual, has no date.
std::string tensorboard_events(const Record& record, const Steps& steps, WallTime zero = {});
inline std::string tensorboard_events(const Record& record, WallTime zero = {}) {
  return tensorboard_events(record, steps_of(record), zero);
}

/// A record of TensorFlow's record format (TFRecord, tensorflow/core/lib/io/record_writer.h): the
/// length, its checksum, the data, its checksum; little-endian.
std::string framed(std::string_view data);

/// CRC-32C (RFC 3720, appendix B.4), rotated and offset as that format does, so that checksums of
/// data that holds checksums stay sound.
std::uint32_t masked_crc32c(std::string_view data);

}  // namespace foretrain
