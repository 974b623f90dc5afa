// A record's scalars as TensorBoard reads them.
#pragma once

#include "reports/record/record.h"
#include "reports/record/shown.h"

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

/// The event file; empty where the record has nothing to show. Tags:
///
///     test/loss [nats], test/accuracy, test/auc            x: steps of the chief
///     loss/NODE [nats], step_time_s/NODE, staleness/NODE   x: steps of the worker; time: their end
///     cpu_percent/NODE, rss_bytes/NODE, tx_bytes_per_s/NODE, rx_bytes_per_s/NODE,
///     nic_tx_bytes_per_s/NODE, nic_rx_bytes_per_s/NODE     x: steps that the chief had done
///
/// So one axis of steps serves them all. The wall time of an event is seconds since every node was
/// ready, virtual in a simulation: a record has no date. What is not known is left out. The same
/// record gives the same bytes.
///
/// `steps`: those of the record, looked at three times; what is in memory of them at once does not
/// grow with their number.
std::string tensorboard_events(const Record& record, const Steps& steps);
inline std::string tensorboard_events(const Record& record) {
  return tensorboard_events(record, steps_of(record));
}

/// A record of TensorFlow's record format (TFRecord, tensorflow/core/lib/io/record_writer.h): the
/// length, its checksum, the data, its checksum; little-endian.
std::string framed(std::string_view data);

/// CRC-32C (RFC 3720, appendix B.4), rotated and offset as that format does, so that checksums of
/// data that holds checksums stay sound.
std::uint32_t masked_crc32c(std::string_view data);

}  // namespace foretrain
