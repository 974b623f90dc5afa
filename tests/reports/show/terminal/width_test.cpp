// Text within the width of a terminal.
#include "reports/show/terminal/width.h"

#include "reports/record/wrapped_text.h"
#include "reports/show/terminal/progress.h"

#include <catch2/catch.hpp>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <string>

namespace foretrain {
namespace {

/// Sets COLUMNS during its lifetime; null unsets it.
class SaidColumns {
 public:
  explicit SaidColumns(const char* columns) {
    if (const char* before = std::getenv("COLUMNS")) before_ = before;
    put(columns);
  }
  SaidColumns(const SaidColumns&) = delete;
  SaidColumns& operator=(const SaidColumns&) = delete;
  ~SaidColumns() { put(before_ ? before_->c_str() : nullptr); }

 private:
  static void put(const char* columns) {
    if (columns == nullptr) {
      unsetenv("COLUMNS");
    } else {
      setenv("COLUMNS", columns, 1);
    }
  }

  std::optional<std::string> before_;
};

}  // namespace

TEST_CASE("width: COLUMNS says it, where that makes sense, else the terminal, else nobody") {
  const int nothing = open("/dev/null", O_RDWR);
  const auto said = [&](const char* columns) {
    const SaidColumns environment(columns);
    return width_of_terminal(nothing);
  };
  CHECK(said("132") == 132);
  CHECK(said("10") == 40);  // no table fits there
  for (const char* nonsense : {"", "0", "-5", "80x", "many", "1000000"}) {
    CAPTURE(nonsense);
    CHECK(said(nonsense) == kTerminalColumns);
  }
  CHECK(said(nullptr) == kTerminalColumns);
  CHECK_FALSE(moves_cursor(nothing));
  close(nothing);
}

TEST_CASE("width: a terminal knows its own") {
  const SaidColumns nobody(nullptr);
  const int master = posix_openpt(O_RDWR | O_NOCTTY);
  if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0) {
    WARN("skipped: there are no terminals here");
    return;
  }
  const int terminal = open(ptsname(master), O_RDWR | O_NOCTTY);
  REQUIRE(terminal >= 0);
  winsize size{};
  size.ws_col = 101;
  size.ws_row = 40;
  REQUIRE(ioctl(terminal, TIOCSWINSZ, &size) == 0);
  CHECK(width_of_terminal(terminal) == 101);
  close(terminal);
  close(master);
}

TEST_CASE("width: text is laid out for it, files for 80 columns") {
  const std::string words(300, 'w');
  const auto widest = [&] { return wrap(words).find('\n'); };
  CHECK(widest() == 80);
  set_text_columns(100);
  CHECK(widest() == 100);
  {
    const FileColumns as_a_file;
    CHECK(widest() == 80);
  }
  CHECK(widest() == 100);
  set_text_columns(60);
  CHECK(widest() == 60);
  set_text_columns(kTerminalColumns);
  CHECK(columns_of(progress_line("run " + std::string(90, 'c'), 1, 2, 3, {}, true, 120)) <= 119);
  CHECK(columns_of(progress_line("run " + std::string(90, 'c'), 1, 2, 3, {}, true, 120)) > 80);
}

}  // namespace foretrain
