// Quantities of a simulated training that somebody may have measured.
#pragma once

#include "reports/record/record.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

/// The quantities, by the names that measured tables use:
///
///     time              start-up and training, s; `time_evaluated`: the final evaluation besides
///     epoch_time        training over its epochs, s
///     step_time         of a worker, the median, s
///     collective_time   likewise, of steps that are a collective alone
///     time_per_1000     1,000 updates, s
///     throughput        examples/s, all workers
///     updates_per_s     changes of the parameters, in the mean over the training
///     chief_wait        of start-up what is the wait for the chief, s
///     cpu               share of the cores of the node's host
///     cpu_cores         cores of the host that are busy in the mean
///     worker_cpu        share of a core that the node's worker takes
///     memory            all processes on the node's host, bytes; `worker_memory`: its worker's
///     sent, received    by the interface of the node's host, bytes/s; `sent_received`: together
///     sent_packets      packets/s: 1,448 bytes each, an acknowledgement for two that are received;
///                       `received_packets` likewise
///     received_bytes    in all; sent_bytes
///     sent_ratio        bytes that node 0 sends over what node 1 sends; received_ratio
///     images_shipped    every image once over loopback as floats with a label, bytes/s
///     test_accuracy     share; test_loss, nats: of a scenario with numerics
///
/// Source of `sent_packets`, `images_shipped`: what the figures of the studies agree with
/// (scenarios/published/README.md).
bool is_quantity(std::string_view name);
std::vector<std::string_view> quantity_names();

/// The units that a quantity may be measured in, by their names in the column `unit`.
std::vector<std::string_view> units_of(std::string_view quantity);
bool is_unit_of(std::string_view unit, std::string_view quantity);

/// In base units (s, bytes, share). `node`: as MeasuredFigure::node. Empty where it is not known.
std::optional<double> quantity_of(std::string_view quantity, const Record& record,
                                  const std::string& node);

/// `value` in one of these units; in base units where `unit` is empty.
double in_unit(double value, std::string_view unit);

}  // namespace foretrain
