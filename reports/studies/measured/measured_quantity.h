// Quantities of a simulated training that can be measured as well.
#pragma once

#include "reports/record/record.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

/// The quantities by their names in measured tables:
///
///     time              start-up and training, s; `time_evaluated`: with the final evaluation
///     epoch_time        training / epochs, s
///     step_time         median of the workers' steps, s
///     collective_time   the same for steps that consist of one collective
///     time_per_1000     1,000 updates, s
///     throughput        examples/s, all workers
///     updates_per_s     updates of the parameters, mean over the training
///     chief_wait        part of start-up spent waiting for the chief, s
///     cpu               CPU use of the node's host, as a share of its cores
///     cpu_cores         mean number of busy cores of that host
///     worker_cpu        CPU use of the node's worker, as a share of one core
///     memory            all processes on the node's host, bytes; `worker_memory`: its worker
///     sent, received    network traffic of the node's host, bytes/s; `sent_received`: the sum
///     sent_packets      packets/s: 1,448 bytes each, an acknowledgement for two received;
///                       `received_packets` likewise
///     received_bytes    total; sent_bytes likewise
///     sent_ratio        bytes that node 0 sends over bytes of node 1; received_ratio likewise
///     images_shipped    every image once over loopback as floats with a label, bytes/s
///     test_accuracy     a share; test_loss, nats: only with numerics
///
/// Source of `sent_packets`, `images_shipped`: inferred from the figures of the studies
/// (scenarios/published/README.md).
bool is_quantity(std::string_view name);
std::vector<std::string_view> quantity_names();

/// Names of the units in which the quantity can be measured, as in the column `unit`.
std::vector<std::string_view> units_of(std::string_view quantity);
bool is_unit_of(std::string_view unit, std::string_view quantity);

/// In base units (s, bytes, share). `node` as MeasuredFigure::node. Empty if not known.
std::optional<double> quantity_of(std::string_view quantity, const Record& record,
                                  const std::string& node);

/// Converts `value` from base units to `unit`; an empty `unit` leaves it.
double in_unit(double value, std::string_view unit);

}  // namespace foretrain
