// What is set on a socket before it connects.
#pragma once

#include "scenarios/scenario.h"

#include <boost/asio/ip/address.hpp>

#include <stdexcept>
#include <string>

namespace foretrain::exec {

/// A setting that this kernel refuses; the message says what it would take.
struct TuningError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Applies `spec` to a socket that goes to `address`, or listens there: what it accepts inherits
/// all of it. Returns the congestion control that it has now. @throws TuningError
///
/// Without a choice that is cubic, else reno: the default of many clouds, bbr, moves three to eight
/// times less over loopback. There, without a choice of buffers, kWindowOverLoopback holds.
std::string tune(int native_socket, const TransportSpec& spec,
                 const boost::asio::ip::address& address);

/// bytes to which a window is clamped before it opens. The kernel chooses its scale by that, so it
/// can grow to twice as much (RFC 7323, 2.3), not to the megabytes that are out of the caches when
/// they are read. With it all-reduces of 25 MB, 244 MB between two processes take 0.94, 0.96 of the
/// time, of 1 MB as long as before; with half of it the same, with twice as much nothing is won
/// (AMD EPYC, Zen 5, 1 MB of second-level cache a core).
inline constexpr int kWindowOverLoopback = 256 * 1024;

/// The connection counts as lost where the other end's kernel says nothing for `silence`: neither
/// acknowledges what was sent nor answers when it is asked. Whole seconds, rounded up, at least
/// one.
void give_up_after(int native_socket, Duration silence);

}  // namespace foretrain::exec
