// Messages that the launcher exchanges with its nodes.
#pragma once

#include "exec/transport/connection.h"
#include "models/protocol/node.h"
#include "reports/record/record.h"
#include "scenarios/resolve/case_data.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain::exec {

/// Frame kinds in addition to those of MessageKind. A node's life, in order:
///
///     node                             launcher
///           (handshake.h)
///           <------------------------- setup      the scenario, its data's shape, where to listen
///     listening --------------------->            my host, address, port (0: I do not listen); my
///                                                 kernels, those with which I could begin again
///           <------------------------- kernels    instead of peers: begin again with these, which
///                                                 all nodes have (kernel_agreement.h); join anew
///           <------------------------- peers      where all listen; workers connect to servers
///     ready ------------------------->            data read, peers connected
///           <------------------------- go         the training's time: zero, or where it resumes
///     rows -------------------------->            steps, evaluations, usage; ten times a second
///     kept -------------------------->            my state is on the disk (a checkpoint's part)
///           <------------------------- outdated   enough newer checkpoints are complete: states
///                                                 before this cut are not needed any more
///           <------------------------- lost       a worker is gone, the training continues
///           <------------------------- back       another process replaces it, which connects and
///                                                 gets ready as at the beginning
///     finished ---------------------->            totals and weights hash
///           <------------------------- exit       the run's outcome: done, failed, interrupted
///     trouble ----------------------->            at any time: why I cannot continue
///           <------------------------- trouble    instead of setup: why you are refused
///
/// A node that cannot save the weights says `not_kept` in its trouble: the training fails.
///
/// A node that cannot read its state says so instead of `listening` (trouble, `no_part`). When all
/// have answered, and an older checkpoint may be complete, the exit is kAgain: all join once more.
/// The same happens if a node is lost without which the training cannot continue, and the others
/// wait for its replacement. A node that joins them then gets their kernels.
///
/// A task of `calibrate --cluster` does not train, and has another life:
///
///     measured ---------------------->            my host, address, port
///           <------------------------- measure    the next order
///           (calibration/cluster/measuring_task.h)
///     measured ---------------------->            its result; and so on, until exit
///
/// A connection between nodes begins with a handshake, too: a peer that does not know the job's key
/// is refused, and the run continues.
enum class ControlKind : std::uint16_t {
  setup = 101,
  listening,
  peers,
  ready,
  go,
  steps,
  evals,
  usage,
  inputs,
  finished,
  trouble,
  exit,
  lost,
  kept,
  back,
  measure,
  measured,
  outdated,
  kernels,
};

/// Text of `exit`, in addition to the names of outcomes.
inline constexpr const char* kAgain = "again";

/// Maximum payload of a control frame.
inline constexpr Bytes kMostControl{64'000'000};

/// The environment variable by which a launcher passes the job key to the nodes that it starts.
inline constexpr const char* kKeyVariable = "FORETRAIN_NODE_KEY";

void send_text(Connection& connection, ControlKind kind, NodeId from, std::string_view text);
inline void send_signal(Connection& connection, ControlKind kind, NodeId from) {
  send_text(connection, kind, from, {});
}
void send_json(Connection& connection, ControlKind kind, NodeId from, const nlohmann::json& json);

std::string_view text_of(const Payload& payload);
/// @throws nlohmann::json::exception if it is no JSON, BadValue if it is nested too deep
nlohmann::json json_of(const Payload& payload);

/// The data set's shape as the launcher found it, so that a server does not open the data.
nlohmann::json to_json(const DatasetShape& shape);
/// @throws nlohmann::json::exception if a field is missing, BadValue if it is no number
DatasetShape dataset_shape_of(const nlohmann::json& json);

/// Adds a node's rows to the record. Returns false if the frame is of another kind.
/// @throws BadValue if a row is of another node, or invalid
bool add_rows(Record& record, std::size_t id, ControlKind kind, const Payload& payload);
/// Adds the figures that a node reports with `finished` to the record.
/// @throws nlohmann::json::exception if a field is missing, BadValue if it is no number
void add_finished(Record& record, std::size_t id, const nlohmann::json& json);

/// Rows are sent as their bytes: both ends are the same program.
template <class Row>
void send_rows(Connection& connection, ControlKind kind, NodeId from, std::span<const Row> rows) {
  static_assert(std::is_trivially_copyable_v<Row>);
  send_text(connection, kind, from,
            {reinterpret_cast<const char*>(rows.data()), rows.size_bytes()});
}
/// The rows of a payload; an incomplete last row is dropped.
template <class Row>
std::vector<Row> rows_of(const Payload& payload) {
  static_assert(std::is_trivially_copyable_v<Row>);
  const auto bytes = payload.bytes();
  std::vector<Row> rows(bytes.size() / sizeof(Row));
  std::copy_n(bytes.data(), rows.size() * sizeof(Row), reinterpret_cast<std::byte*>(rows.data()));
  return rows;
}

}  // namespace foretrain::exec
