// Figures of records.
#pragma once

#include "reports/record/record.h"
#include "reports/show/figures/figure.h"

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

/// Resources and timelines are drawn for at most this many records; the other figures have all.
inline constexpr std::size_t kDetailedRecords = 8;
/// Maximum of points in a line, which is downsampled with its extremes (thinned).
inline constexpr std::size_t kMostPoints = 2000;

/// Title and colour of each record in a figure.
struct Legend {
  std::vector<std::string> titles;  ///< `sync run`, `sync simulated`
  std::vector<int> colours;         ///< one per case
};
Legend legend_of(const std::vector<Record>& records);

/// The scenarios of the records without repetition: `quickstart, mnist`.
std::string names_of(const std::vector<Record>& records);

// A figure has no panels if no record has its data.

/// Loss and accuracy on the test examples over time: a colour for each case, runs as lines with
/// points, simulations dashed. A panel without data is left out.
Figure learning_curves(const std::vector<Record>& records);

/// The same over the steps of the evaluating worker.
Figure learning_by_step(const std::vector<Record>& records);

/// Loss of each batch, and time of each step (without evaluation) over the number of the step, with
/// a common axis, for all workers: with one record and few workers a colour each. Long trainings
/// are downsampled with their extremes, which do not flatten the rest (downsample.h).
Figure step_by_step(const std::vector<Record>& records);

/// The same for one record with a colour for each worker, naming the slowest one, to find
/// stragglers. Only for two workers up to the number of colours.
Figure steps_by_worker(const Record& record, const std::string& name);

/// The parts of a mean step: a bar for each case and mode, with a layer for each phase.
Figure phase_bars(const std::vector<Record>& records);

/// CPU, memory, sent and received bytes of each node over time, with a common axis. For many nodes:
/// mean and maximum over the workers, and over the servers.
Figure resources(const Record& record, const std::string& name);

/// The phases of each worker in the middle of the training, with the servers' updates below (for
/// sync, whose updates are common to all workers, as seen by worker 0). Phases of a step are drawn
/// in sequence, since they are exposed times. Arrows are messages between workers and servers, for
/// a part of the steps if there are many: from the time at which the last part of a gradient is
/// sent until all servers have it, and from the time at which new values are ready until the worker
/// has them. Without servers there are no arrows: a record does not have the times of messages
/// between workers.
Figure timeline(const Record& record, const std::string& name);

/// Histogram of staleness as a share of the steps, for records with any staleness.
Figure staleness_histogram(const std::vector<Record>& records);

/// Draws the figures that a comparison has as files: learning curves, phases. Returns a line for
/// each file. @throws InputError as draw does
std::string draw_all(const std::vector<Record>& records, const std::filesystem::path& folder);

}  // namespace foretrain
