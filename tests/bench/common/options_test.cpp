// Options of benchmarks, the BLAS of their peers.
#include "tests/bench/common/bench_options.h"
#include "tests/bench/common/blas.h"

#include <catch2/catch.hpp>

namespace foretrain::bench {
namespace {

const std::vector<std::string> kAll{"--smoke",   "--only",    "--rounds", "--peer",
                                    "--threads", "--seconds", "--workers"};

TEST_CASE("bench options: each is read, the rest stays") {
  const Options options = read_options({"--only", "a,c", "--rounds", "5", "--threads", "1,2",
                                        "--seconds", "0.5", "--workers", "7", "--peer"},
                                       kAll, {"a", "b", "c"});
  CHECK(options.only == std::vector<std::string>{"a", "c"});
  CHECK((options.wants("c") && !options.wants("b")));
  CHECK(options.rounds == 5);
  CHECK(options.threads == std::vector<int>{1, 2});
  CHECK(options.seconds == 0.5);
  CHECK(options.workers == 7);
  CHECK(options.peer);
  CHECK_FALSE(options.smoke);
  const Options none = read_options({}, kAll, {}, {.rounds = 9});
  CHECK(none.rounds == 9);
  CHECK(none.wants("anything"));
  CHECK(read_options({"--smoke"}, kAll, {}, {.rounds = 9}).rounds == 1);
}

TEST_CASE("bench options: what is unknown is told what there is") {
  CHECK_THROWS_WITH(read_options({"--fast"}, {"--smoke", "--only"}),
                    "--fast: no such option; there are --smoke, --only");
  CHECK_THROWS_WITH(read_options({"--peer"}, {"--smoke"}),
                    "--peer: no such option; there are --smoke");
  CHECK_THROWS_WITH(read_options({"--only", "d"}, kAll, {"a", "b"}), "--only d: there are a, b");
  CHECK_THROWS_WITH(read_options({"--rounds"}, kAll), "--rounds needs a value");
  CHECK_THROWS_WITH(read_options({"--rounds", "0"}, kAll),
                    "--rounds 0: not a whole number above zero");
  CHECK_THROWS_WITH(read_options({"--threads", "1,x"}, kAll),
                    "--threads x: not a whole number above zero");
  CHECK_THROWS_WITH(read_options({"--seconds", "2s"}, kAll),
                    "--seconds 2s: not a number above zero");
}

TEST_CASE("bench: a peer with the reference BLAS is refused, with OpenBLAS named") {
  const std::string begin = "7f00-7f01 r-xp 00000000 08:01 42    ";
  const std::string open = "/usr/lib/x86_64-linux-gnu/openblas-pthread/libblas.so.3";
  const std::string reference = "/usr/lib/x86_64-linux-gnu/blas/libblas.so.3.11.0";
  CHECK(fast_blas_in({"version=1.13.1\n", "7f00-7f01 rw-p 00000000 00:00 0 \n",
                      begin + open + "\n"}) == open);
  CHECK_THROWS_WITH(fast_blas_in({begin + reference + "\n"}),
                    Catch::Contains("the reference one, " + reference) &&
                        Catch::Contains("apt-get install libopenblas0-pthread"));
  CHECK_THROWS_WITH(fast_blas_in({begin + "/usr/lib/libc.so.6\n"}),
                    Catch::Contains("none that is known"));
}

TEST_CASE("bench: OpenBLAS says whose kernels it computes with") {
  CHECK(openblas_core_in({"version=1.13.1\n", "Core: SkylakeX\n"}) == "SkylakeX");
  CHECK(openblas_core_in({"version=1.13.1\n"}).empty());
}

}  // namespace
}  // namespace foretrain::bench
