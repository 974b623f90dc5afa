#include "reports/record/stderr_note.h"

#include "scenarios/language/text_guard.h"

#include <cerrno>
#include <cstdio>
#include <system_error>

namespace foretrain {

void stderr_note(std::string_view text) { stderr_draw(printable(text)); }

void stderr_draw(std::string_view text) {
  [[maybe_unused]] const std::size_t taken = std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

std::string reason_of(const std::exception& error) {
  std::string text = error.what();
  if (text.find(std::generic_category().message(EAGAIN)) == std::string::npos) return text;
  return text + "; this user may start no more processes or threads; raise the limit (ulimit -u)";
}

}  // namespace foretrain
