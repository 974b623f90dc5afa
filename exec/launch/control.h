// What the launcher says to its nodes, what they answer.
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

/// Frame kinds beside those of MessageKind. A node's life, in order:
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
///           <------------------------- go         what time it is: zero, or where it goes on
///     rows -------------------------->            steps, evaluations, usage; ten times a second
///     kept -------------------------->            my state is on the disk (a checkpoint's part)
///           <------------------------- outdated   so many newer checkpoints are whole that states
///                                                 before this cut are needed no more
///           <------------------------- lost       a worker is gone, the training goes on
///           <------------------------- back       another process is in its place; that one
///                                                 connects, gets ready as at the beginning
///     finished ---------------------->            totals and weights hash
///           <------------------------- exit       the run's outcome: done, failed, interrupted
///     trouble ----------------------->            at any time: why I cannot go on
///           <------------------------- trouble    instead of setup: why you are not taken
///
/// A node that cannot save the weights says `not_kept` in its trouble: nobody goes on without it.
///
/// A node that cannot read its state says so instead of `listening` (trouble, `no_part`). When all
/// have answered, and an older checkpoint may be whole, the exit is kAgain: all join once more. So
/// it is where one is gone without which nobody goes on, and the others wait for it. Who joins with
/// them then gets their kernels.
///
/// A task of `calibrate --cluster` trains nothing, and its life is another one:
///
///     measured ---------------------->            my host, address, port
///           <------------------------- measure    what is next
///           (calibration/cluster/measuring_task.h)
///     measured ---------------------->            what that found; so on, until exit
///
/// Between nodes a connection begins with a handshake, too: whoever does not know the job's key is
/// shown the door, and the run goes on.
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

/// What `exit` says beside the names of outcomes.
inline constexpr const char* kAgain = "again";

/// The most that a control frame may carry.
inline constexpr Bytes kMostControl{64'000'000};

/// The environment variable by which a launcher hands the job key to the nodes that it starts.
inline constexpr const char* kKeyVariable = "FORETRAIN_NODE_KEY";

void send_text(Connection& connection, ControlKind kind, NodeId from, std::string_view text);
inline void send_signal(Connection& connection, ControlKind kind, NodeId from) {
  send_text(connection, kind, from, {});
}
void send_json(Connection& connection, ControlKind kind, NodeId from, const nlohmann::json& json);

std::string_view text_of(const Payload& payload);
/// @throws nlohmann::json::exception where it is no JSON, BadValue where it is nested too deep
nlohmann::json json_of(const Payload& payload);

/// What the launcher has found of the data set, so that a server opens none.
nlohmann::json to_json(const DatasetShape& shape);
/// @throws nlohmann::json::exception where something is missing, BadValue where it is no number
DatasetShape dataset_shape_of(const nlohmann::json& json);

/// Rows of a node join the record. False: the frame is of another kind.
/// @throws BadValue where a row is of another node, or no row
bool add_rows(Record& record, std::size_t id, ControlKind kind, const Payload& payload);
/// What a node says of itself with `finished` joins the record.
/// @throws nlohmann::json::exception where something is missing, BadValue where it is no number
void add_finished(Record& record, std::size_t id, const nlohmann::json& json);

/// Rows travel as their bytes: both ends are the same program.
template <class Row>
void send_rows(Connection& connection, ControlKind kind, NodeId from, std::span<const Row> rows) {
  static_assert(std::is_trivially_copyable_v<Row>);
  send_text(connection, kind, from,
            {reinterpret_cast<const char*>(rows.data()), rows.size_bytes()});
}
/// The rows of a payload; what is not a whole number of them is cut.
template <class Row>
std::vector<Row> rows_of(const Payload& payload) {
  static_assert(std::is_trivially_copyable_v<Row>);
  const auto bytes = payload.bytes();
  std::vector<Row> rows(bytes.size() / sizeof(Row));
  std::copy_n(bytes.data(), rows.size() * sizeof(Row), reinterpret_cast<std::byte*>(rows.data()));
  return rows;
}

}  // namespace foretrain::exec
