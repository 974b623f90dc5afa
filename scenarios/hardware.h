// The hosts that the library knows by name: scenarios/hardware/NAME.yaml.
#pragma once

#include "scenarios/cluster.h"

#include <string_view>
#include <vector>

namespace foretrain {

/// Each as `like: NAME` alone makes it, called NAME, in the order of names; with the rows of all
/// networks that it was measured with, of which a case keeps those that count (check.h).
/// @throws InputError where there is no library, or a file of it is wrong
std::vector<HostSpec> library_hosts();

/// The first of `hosts` whose HostSpec::device_name stands, in letters of any size, among the words
/// that a driver calls its device by: V100 in `Tesla V100-SXM2-32GB`, not in `Tesla V100S-PCIE`.
/// Null: none has such a device.
const HostSpec* host_with_device(const std::vector<HostSpec>& hosts, std::string_view called);

}  // namespace foretrain
