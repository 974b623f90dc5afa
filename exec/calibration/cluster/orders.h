// What the tasks that measure a cluster are told to do.
#pragma once

#include "exec/calibration/cluster/link_end.h"
#include "reports/record/processor.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>

namespace foretrain::exec {

/// An order (ControlKind::measure), by its key `do`, and its answer (ControlKind::measured):
///
///     call      there, rounds      round_trip_ns
///     load      there, load        {} once it is under way: connections are asked for
///     stop                         {}
///     count     load, warm_ns, time_ns    bytes_ps
///     compute                      machine, as a machine file; processor
///
/// Before any order a task says who it is: host, address, port of its LinkEnd.
/// Each has its own JSON form; @throws nlohmann::json::exception where something is missing
nlohmann::json to_json(const LinkPlace& place);
LinkPlace link_place_of(const nlohmann::json& json);
nlohmann::json to_json(const LinkLoad& load);
LinkLoad link_load_of(const nlohmann::json& json);
nlohmann::json to_json(const Processor& processor);
Processor processor_of(const nlohmann::json& json);

}  // namespace foretrain::exec
