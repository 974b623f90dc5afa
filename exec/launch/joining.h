// How a process comes to the launcher that it belongs to.
#pragma once

#include "exec/transport/connecting.h"
#include "models/base/quantity.h"
#include "models/base/time.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <functional>
#include <string>

namespace foretrain::exec {

/// How a node finds its run.
struct Joining {
  boost::asio::ip::tcp::endpoint launcher;
  NodeId id{};
  Credentials known;
  Duration limit{60'000'000'000};  ///< tries again until then
  bool is_task = false;            ///< nobody waits for this process: it says itself what is wrong
  bool keeps_kernels = false;      ///< cannot begin again with others
};

/// Connects to the launcher, again and again until the limit: it may come later than its nodes,
/// where somebody else starts all of them.
void join(boost::asio::io_context& loop, const Joining& joining, OnConnected on_joined,
          std::function<void(const std::string& why)> on_failed);

}  // namespace foretrain::exec
