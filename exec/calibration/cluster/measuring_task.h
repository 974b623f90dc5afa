// A task's part in measuring a cluster.
#pragma once

#include "exec/calibration/calibrate.h"
#include "exec/launch/start.h"
#include "reports/record/processor.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <vector>

namespace foretrain::exec {

/// Traffic to another host: each connection keeps `on_way` unanswered frames in flight.
struct LinkUse {
  std::int64_t connections = 1;
  std::int64_t on_way = 1;
  std::int64_t frame = 0;    ///< bytes of a payload
  std::int64_t answers = 2;  ///< minimum of counted answers per connection
  Duration warm{};           ///< answers during the warm-up do not count
  Duration counted{};        ///< minimum counting time
};

/// Executes the orders of rank 0 until it says exit or is gone. First reports host, address, and
/// the port at which it listens. An order (ControlKind::measure) and its answer
/// (ControlKind::measured):
///
///     rank, address, port of a peer; use: a LinkUse      round_trip_ns, bytes_ps
///     null: measure compute with the models of `cases`   machine, as a machine file; processor
///
/// `limit`: how long it tries to join. `cases`: the usual ones if empty. Returns the exit status: 0
/// if everything was measured, else 1.
int measure_as(int rank, const Meeting& meeting, Duration limit, const std::vector<Case>& cases,
               const CalibrateOptions& options);

/// JSON forms for messages. @throws nlohmann::json::exception if a field is missing
nlohmann::json to_json(const LinkUse& use);
Processor processor_of(const nlohmann::json& json);

}  // namespace foretrain::exec
