// A key of one of our files in words.
#pragma once

#include <string>

namespace foretrain {

struct KeyText {
  std::string path;      ///< `training.workers`, `cluster.hosts[].nic`, as scenario_keys has it
  std::string value;     ///< allowed values, in words
  std::string fallback;  ///< default; empty if `doc` gives it, or if there is none
  std::string doc;       ///< explanation
  bool required = false;
};

}  // namespace foretrain
