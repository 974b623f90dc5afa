#include "exec/transport/build_name.h"

#include "exec/transport/frame.h"

#include <fmt/format.h>

namespace foretrain::exec {

const std::string& build_name() {
  static const std::string name = fmt::format("{} ({}, wire {})", kVersion, kCommit, kWireVersion);
  return name;
}

std::string other_build(const std::string& theirs, const std::string& ours) {
  return fmt::format(
      "it is another build, {}, this one is {}; build foretrain of the same commit on every host",
      theirs, ours);
}

}  // namespace foretrain::exec
