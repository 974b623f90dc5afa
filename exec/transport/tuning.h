// What is set on a socket before it connects.
#pragma once

#include "scenarios/spec/scenario.h"

#include <stdexcept>
#include <string>

namespace foretrain::exec {

/// A setting that this kernel refuses; the message says what it would take.
struct TuningError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Applies `spec` to a socket, or to one that listens: what it accepts inherits all of it. Returns
/// the congestion control that it has now. Without a choice that is cubic, else reno: the default
/// of many clouds, bbr, moves three to eight times less over loopback. @throws TuningError
std::string tune(int native_socket, const TransportSpec& spec);

/// The connection counts as lost where the other end's kernel says nothing for `silence`: neither
/// acknowledges what was sent nor answers when it is asked. Whole seconds, rounded up, at least
/// one.
void give_up_after(int native_socket, Duration silence);

}  // namespace foretrain::exec
