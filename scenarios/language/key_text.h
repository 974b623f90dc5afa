// A key of one of our files in words.
#pragma once

#include <string>

namespace foretrain {

struct KeyText {
  std::string path;      ///< `training.workers`, `cluster.hosts[].nic`, as scenario_keys has it
  std::string value;     ///< what may stand there, in words
  std::string fallback;  ///< what counts where it is left out; empty: as `doc` says, or nothing
  std::string doc;       ///< what it is
  bool required = false;
};

}  // namespace foretrain
