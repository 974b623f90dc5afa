#include "reports/record/tell_people.h"

#include "scenarios/yaml/text_guard.h"

#include <cerrno>
#include <cstdio>

namespace foretrain {

void tell_people(std::string_view text) { draw_for_people(printable(text)); }

void draw_for_people(std::string_view text) {
  [[maybe_unused]] const std::size_t taken = std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace foretrain
