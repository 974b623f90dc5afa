// Tables of step times by batch size.
#include "scenarios/resolve/batch_times.h"

#include "tests/support/temp_folder.h"

#include <catch2/catch.hpp>

#include <fstream>
#include <string>

using namespace foretrain;

namespace {

BatchTimes read_times(const std::string& text) {
  const TempFolder folder;
  std::ofstream(folder / "times.csv") << text;
  return read_batch_times(folder / "times.csv");
}

/// The error without the folder's name.
std::string wrong(const std::string& text) {
  const std::string what = complaint([&] { read_times(text); });
  return what.substr(what.find("times.csv"));
}

}  // namespace

TEST_CASE("batch times: rows in any order and columns in any order") {
  CHECK(read_times("batch_size,seconds\n32,0.012\n8,0.004\n32,0.014\n") ==
        BatchTimes{{8, {0.004}}, {32, {0.012, 0.014}}});
  CHECK(read_times("# of a card\n\nsystem,seconds , \"batch_size\"\r\nx,5e-3,16\r\n\r\n") ==
        BatchTimes{{16, {0.005}}});
}

TEST_CASE("batch times: what is wrong is told with file and line") {
  CHECK(wrong("32,0.012\n") ==
        "times.csv:1: no column is called batch_size; the first line names them: "
        "batch_size,seconds");
  CHECK(wrong("batch_size,ms\n").find("times.csv:1: no column is called seconds; ") == 0);
  CHECK(wrong("seconds,batch_size,seconds\n") ==
        "times.csv:1: two columns are called seconds; keep one");
  CHECK(wrong("batch_size,seconds\n") ==
        "times.csv: no step times; write a line batch_size,seconds, then one for each "
        "measurement");
  CHECK(wrong("batch_size,seconds\n8,0.1\n8\n") ==
        "times.csv:3: 1 values under 2 columns; write one for each column");
  for (const char* size : {"0", "-4", "1.5", "many", "", "10000001"}) {
    CAPTURE(size);
    CHECK(wrong("batch_size,seconds\n" + std::string(size) + ",0.1\n") ==
          "times.csv:2: batch_size: '" + std::string(size) +
              "' is no batch size; write a whole number, 1 to 10000000");
  }
  CHECK(wrong("batch_size,seconds\n8,fast\n") ==
        "times.csv:2: seconds: 'fast' is not a number; write one, 0.0121 for instance");
  CHECK(wrong("batch_size,seconds\n8,0\n") ==
        "times.csv:2: seconds: 0 is not above 0; write seconds");
  CHECK(wrong("batch_size,seconds\n8,2e6\n") ==
        "times.csv:2: seconds: 2e6 is more than 1000000; write seconds");
  CHECK(complaint([] { read_batch_times("nowhere.csv"); }).find("nowhere.csv: ") == 0);
}
