// Quantities of a simulated training that a study may have reported.
#pragma once

#include "reports/record/record.h"

#include <optional>
#include <string>
#include <string_view>

namespace foretrain {

/// Where a quantity comes from.
enum class Source {
  simulated,  ///< a record without numerics
  trained,    ///< a training for real, on the study's data set
  formula,    ///< what is known without either
};

/// The quantities, by the names that readings.csv uses:
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
///     test_accuracy     share; test_loss, nats
///     tower_sum         nats: the L2 penalty of the initial parameters, once for each worker;
///                       tower_mean: added up while towers are built, so (N + 1) / 2 times
///     zero              what is not there
///
/// Source of `sent_packets`, `images_shipped`, the penalties: what the figures of the studies agree
/// with (scenarios/published/README.md).
bool is_quantity(std::string_view name);
Source source_of(std::string_view quantity);

/// In base units (s, bytes, share). `node`: as ReportedFigure::node. Empty where it is not known.
std::optional<double> quantity_of(std::string_view quantity, const Record& record,
                                  const std::string& node);
/// A formula's, for so many workers.
double formula_of(std::string_view quantity, int workers);

/// `value` in the unit of a reported figure. @throws InputError where the unit is not known
double in_unit(double value, const std::string& unit);

}  // namespace foretrain
