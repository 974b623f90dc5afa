// The figures that this program draws of records.
#pragma once

#include "reports/record/record.h"
#include "reports/show/figures/figure.h"

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

/// Resources, timelines are drawn of at most so many records; the rest of a long list is in their
/// other figures.
inline constexpr std::size_t kDetailedRecords = 8;
/// A line has at most so many points, which keep its extremes (thinned).
inline constexpr std::size_t kMostPoints = 2000;

/// How each record is called and coloured among the others.
struct Legend {
  std::vector<std::string> titles;  ///< `sync run`, `sync simulated`
  std::vector<int> colours;         ///< one a case
};
Legend legend_of(const std::vector<Record>& records);

/// The scenarios that the records are of, each once: `quickstart, mnist`.
std::string names_of(const std::vector<Record>& records);

// A figure has no panels where no record knows its figures.

/// Loss, accuracy on the test examples against time, one colour a case, runs as lines with points,
/// simulations dashed, all in one picture. A panel of which no record knows a figure is left out.
Figure learning_curves(const std::vector<Record>& records);

/// The same against the steps of the worker that evaluates.
Figure learning_by_step(const std::vector<Record>& records);

/// Loss of each batch, time of each step (evaluation left out) against the number of the step, over
/// one axis. Every worker's are in it, of one record with few workers in a colour each; a long
/// training is thinned without losing extremes, which do not flatten the rest (thin.h).
Figure step_by_step(const std::vector<Record>& records);

/// The same of one record, a colour a worker, the slowest named: where a straggler is looked for.
/// Of two workers to as many as there are colours.
Figure steps_by_worker(const Record& record, const std::string& name);

/// Where the time of a mean step goes: a bar a case and mode, a layer a phase.
Figure phase_bars(const std::vector<Record>& records);

/// CPU, memory, bytes sent or received by each node against time, over one axis. Of more than a
/// handful of nodes: mean with most of the workers, of the servers.
Figure resources(const Record& record, const std::string& name);

/// What workers did, phase by phase, in the middle of the training, with the servers' updates
/// below them (of sync, which updates once for all, as worker 0 saw them). Within a step the phases
/// stand one after another, as exposed time adds up. Arrows are the messages between workers and
/// servers, of some steps where there are many: from when the last of a gradient left until all
/// servers had it, from when new values were there until the worker had them. Without servers there
/// are none: a record does not say when workers sent to each other.
Figure timeline(const Record& record, const std::string& name);

/// How many updates a gradient was late: share of the steps, of the records in which any was.
Figure staleness_histogram(const std::vector<Record>& records);

/// Draws those that every comparison wants as files: learning curves, phases. Returns a line for
/// each picture. @throws InputError as draw does
std::string draw_all(const std::vector<Record>& records, const std::filesystem::path& folder);

}  // namespace foretrain
