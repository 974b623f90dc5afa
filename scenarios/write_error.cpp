#include "scenarios/write_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

namespace foretrain {

void fail_to_write(const std::string& place, int error, std::string_view what) {
  constexpr std::array kFullOrBroken{ENOSPC, EDQUOT, EFBIG, EIO, EPIPE};
  const std::string message =
      fmt::format("{}: {}: {}", place, what, std::generic_category().message(error));
  if (std::ranges::find(kFullOrBroken, error) != kFullOrBroken.end()) throw WriteError(message);
  throw InputError(message);
}

}  // namespace foretrain
