// Socket options that are set before connecting.
#pragma once

#include "scenarios/spec/scenario.h"

#include <stdexcept>
#include <string>

namespace foretrain::exec {

/// A setting that this kernel refuses; the message lists the possible values.
struct TuningError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Applies `spec` to a socket; a listening one passes everything on to accepted sockets. Returns
/// its congestion control. Without a choice that is cubic, else reno: bbr, the default of many
/// clouds, moves three to eight times less over loopback. @throws TuningError
std::string tune(int native_socket, const TransportSpec& spec);

/// The connection counts as lost if the other end's kernel is silent for `silence`: it neither
/// acknowledges data nor answers probes. Whole seconds, rounded up, at least one.
void give_up_after(int native_socket, Duration silence);

}  // namespace foretrain::exec
