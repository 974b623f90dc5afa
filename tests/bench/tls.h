// What encryption costs.
#pragma once

#include <string>
#include <vector>

namespace foretrain::bench {

/// Plain against TLS in alternation, so that both meet the machine in the same minute: messages of
/// 1 KB, 1 MB and 25 MB to a node on another core, then a training of lenet_large, sync, two
/// workers. Prints medians, the median of the ratios, and what a byte takes longer.
///
///     --smoke       once, small
///     --rounds N    of either; default 9
int tls(const std::vector<std::string>& arguments);

}  // namespace foretrain::bench
