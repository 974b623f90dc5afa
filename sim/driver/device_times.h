// Speed of a host's devices in one training.
#pragma once

#include "scenarios/resolve/prepared.h"

#include <string>

namespace foretrain::sim {

/// Whether measured trainings gave the shares of the host's device in this precision.
bool is_fitted(const HostSpec& spec, const std::string& precision);

/// What its devices lose together (DeviceSpec): with all that are waited for, with those of their
/// host.
double slowed_together(const HostSpec& spec, const Prepared& prepared);

/// Ratio of gradient times on the host's device to the profile's: by measurements of that device,
/// else by counted work or by data sheets. Applied to evaluations, too, at the batch size of the
/// training.
double profile_ratio(const HostSpec& spec, const Prepared& prepared);

/// The bandwidth at which a device's memory makes updates, as bytes of 32-bit parameters; 0 if it
/// does not.
BytesPerSecond update_rate(const HostSpec& spec, const Prepared& prepared);

}  // namespace foretrain::sim
