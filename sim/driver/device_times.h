// Speed of a host's devices in one training.
#pragma once

#include "scenarios/resolve/prepared.h"

#include <string>

namespace foretrain::sim {

/// True if measured trainings gave the shares of the host's device in this precision.
bool is_fitted(const HostSpec& spec, const std::string& precision);

/// The factor of a gradient's time by which devices lose together (DeviceSpec::slowed): all workers
/// count if each waits for all, those of a host share it.
double slowed_together(const HostSpec& spec, const Prepared& prepared);

/// Ratio of gradient times on the host's device to the profile's: by measurements of that device,
/// else by counted work or by data sheets. Applied to evaluations, too, at the batch size of the
/// training.
double profile_ratio(const HostSpec& spec, const Prepared& prepared);

/// The bandwidth at which a device's memory makes updates, as bytes of 32-bit parameters: by the
/// profile's time of all, else by its memory; 0 if it makes none.
BytesPerSecond update_rate(const HostSpec& spec, const Prepared& prepared);

}  // namespace foretrain::sim
