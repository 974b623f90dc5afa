// Layers as PipeDream's profiler writes them.
#pragma once

#include "scenarios/import/imported_job.h"

#include <string>
#include <string_view>

namespace foretrain {

/// Whether the text begins as such a file does.
bool is_pipedream_graph(std::string_view text);

/// From a `graph.txt`: a line a layer, `node4 -- Conv2d(...) -- forward_compute_time=10.8,
/// backward_compute_time=18.3, activation_size=..., parameter_size=1180672.000` (ms, bytes), and
/// one an edge, `node4 -- node5`. Layers come in the order of edges, of equals the smallest number
/// first. `source` stands for the file's name in messages. @throws InputError with file and line
ImportedJob parse_pipedream_graph(std::string_view text, const std::string& source);

}  // namespace foretrain
