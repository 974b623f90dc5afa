// A process joins its launcher.
#pragma once

#include "exec/transport/connecting.h"
#include "models/base/quantity.h"
#include "models/base/time.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <functional>
#include <string>

namespace foretrain::exec {

/// Settings for a node that joins its run.
struct JoinSettings {
  boost::asio::ip::tcp::endpoint launcher;
  NodeId id{};
  Credentials known;
  Duration limit{60'000'000'000};  ///< how long it tries to reach the launcher
  bool is_task = false;        ///< no launcher watches this process, so it reports errors itself
  bool keeps_kernels = false;  ///< cannot begin again with other kernels
};

/// Connects to the launcher, repeatedly until the limit: it may start later than its nodes if
/// another program starts all of them.
void join(boost::asio::io_context& loop, const JoinSettings& joining, OnConnected on_joined,
          std::function<void(const std::string& why)> on_failed);

}  // namespace foretrain::exec
