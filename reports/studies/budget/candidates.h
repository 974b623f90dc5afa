// The clusters that a training may be rented on, each with the ways to train there.
#pragma once

#include "scenarios/scenario.h"

#include <string>
#include <vector>

namespace foretrain {

/// Hosts alike, how they train. Each has as many workers as devices, else one; servers are on the
/// same hosts in turn.
struct RentedCluster {
  std::string host;  ///< as the library calls it
  int hosts = 1;
  int workers = 1;
  std::string strategy;
  int servers = 0;
  int group = 1;       ///< of workers that add up among themselves first
  int batch_size = 1;  ///< of each worker

  bool operator==(const RentedCluster&) const = default;
};

/// `p3.16xlarge x 2`
std::string name_of(const RentedCluster& cluster);
/// `all_reduce, groups of 8`, `sync, 2 servers`
std::string way_of(const RentedCluster& cluster);

/// Hosts to try, and why others are not.
struct HostsToTry {
  std::vector<HostSpec> hosts;
  std::vector<std::string> left_out;  ///< a sentence each
};

/// Those of `library` that are called as in `names`, in that order; where that is empty, all that
/// are rented at a price, not bought, and have a device where the case's gradients were timed on
/// one (a profile, `compute:`).
/// @throws InputError where a name is none of the library, stands twice, its host has no price or
/// misses the device; where prices are in two currencies; where nothing is left
HostsToTry hosts_to_try(const Case& base, const std::vector<HostSpec>& library,
                        const std::vector<std::string>& names);

/// 1, 2, 4, ... below `most`, then `most`.
std::vector<int> host_counts(int most);

/// The ways to train on so many of a host: every strategy whose workers go in step at the
/// statistical efficiency of synchronous SGD, what those are weighed against, the scenario's own;
/// with 1, 2, 4, ... servers, at most one a host; where several hosts have several devices each,
/// reduced within a host first. The batch as it is, twice, half of it, where the scenario says how
/// compute grows with it. A strategy with servers needs a second worker; one that does not fit so
/// many workers, or the scenario's compression, is no way.
std::vector<RentedCluster> clusters_of(const Case& base, const HostSpec& host, int hosts);

/// The case on that cluster, with `examples` to train on, on a star of such hosts. Nothing of the
/// scenario's own hosts stays but `compute:`.
Case case_on(const Case& base, const HostSpec& host, const RentedCluster& cluster, double examples);

}  // namespace foretrain
