// What the tasks of a run have to agree on before they meet.
#pragma once

#include "exec/launch/run.h"
#include "exec/launch/task.h"
#include "exec/transport/handshake.h"
#include "models/base/time.h"
#include "scenarios/scenario.h"

#include <boost/asio/ip/tcp.hpp>

#include <optional>
#include <string>
#include <vector>

namespace foretrain::exec {

/// Every case has as many nodes as there are tasks. @throws InputError that says how many to start
void check_size(const std::vector<Case>& cases, const Task& task);

/// FORETRAIN_JOIN_LIMIT: how long tasks wait for each other. @throws InputError (no `90 s`)
std::optional<Duration> read_join_limit(const Environment& environment);

/// Where rank 0 listens. Asks again, for as long as `limit`, where no name is known: in a cluster
/// that is just starting they come late.
/// @throws InputError (no name is known in time; other machines can reach it, and there is no key)
boost::asio::ip::tcp::endpoint meeting_point(const Task& task, const JobKey& key, Duration limit);

/// Where the processes of a run meet, by what they know each other.
struct Meeting {
  boost::asio::ip::tcp::endpoint place;
  Credentials known;
};

/// Of the tasks of `options.task`. @throws InputError as `meeting_point`, of keys, of certificates
Meeting arrange(const RunOptions& options);

/// The name of this machine.
std::string host_name();

}  // namespace foretrain::exec
