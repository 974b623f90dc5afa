// A task's part in measuring a cluster.
#pragma once

#include "exec/calibration/calibrate.h"
#include "exec/launch/start.h"
#include "reports/record/processor.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <vector>

namespace foretrain::exec {

/// What is sent to another host: on each connection so many frames that are not answered yet.
struct LinkUse {
  std::int64_t connections = 1;
  std::int64_t on_way = 1;
  std::int64_t frame = 0;    ///< bytes of a payload
  std::int64_t answers = 2;  ///< of each connection that count at least
  Duration warm{};           ///< answers of the first while do not count
  Duration counted{};        ///< they count for so long at least
};

/// Does what rank 0 orders, until that says exit, or is gone. Before any order it tells who it is:
/// host, address, port at which it listens. An order (ControlKind::measure), its answer
/// (ControlKind::measured):
///
///     rank, address, port of another end; use: a LinkUse     round_trip_ns, bytes_ps
///     null: measure your compute, of the models of `cases`   machine, as a machine file; processor
///
/// `limit`: how long it tries to join. `cases`: empty: the usual ones. Returns the exit status: 0
/// where all was measured, else 1.
int measure_as(int rank, const Meeting& meeting, Duration limit, const std::vector<Case>& cases,
               const CalibrateOptions& options);

/// As they travel. @throws nlohmann::json::exception where something is missing
nlohmann::json to_json(const LinkUse& use);
Processor processor_of(const nlohmann::json& json);

}  // namespace foretrain::exec
