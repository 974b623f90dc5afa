// Checks that stay on in release: a failed check is a bug of the program, never bad input.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>

namespace foretrain {

/// A broken invariant. Only `main` catches it: the program reports what broke and ends.
class InvariantViolation : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] void fail_check(const char* file, int line, const std::string& what);

}  // namespace foretrain

/// FT_CHECK(condition): the condition holds, or the program has a bug.
#define FT_CHECK(condition)                                    \
  do {                                                         \
    if (!(condition)) [[unlikely]]                             \
      ::foretrain::fail_check(__FILE__, __LINE__, #condition); \
  } while (false)

/// FT_CHECK_OP(a, <=, b): as FT_CHECK, and reports both values, which fmt must be able to print.
#define FT_CHECK_OP(a, op, b)                                                              \
  do {                                                                                     \
    if (!((a)op(b))) [[unlikely]]                                                          \
      ::foretrain::fail_check(__FILE__, __LINE__,                                          \
                              fmt::format("{} {} {} ({} against {})", #a, #op, #b, a, b)); \
  } while (false)
