// The choice between two installed programs.
#include "exec/launch/kernel_program.h"

#include "exec/transport/build_name.h"
#include "models/networks/registry.h"
#include "scenarios/language/input_error.h"
#include "tests/cli/sandbox.h"
#include "tests/support/temp_folder.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <string>

namespace foretrain::exec {
namespace {

namespace fs = std::filesystem;
using Catch::Contains;
using testing::Called;
using testing::Sandbox;

void put_program(const fs::path& path, const std::string& text = "#!/bin/sh\n") {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
  fs::permissions(path, fs::perms::owner_all);
}

// Both programs, installed as by a package.
struct Installed {
  TempFolder folder;
  fs::path called = fs::path(folder.path()) / "bin/foretrain";
  fs::path behind = fs::path(folder.path()) / "lib/foretrain/foretrain-avx512";
  KernelProgram small{"avx2", called};
  KernelProgram large{"avx512", behind};

  Installed() {
    put_program(called);
    put_program(behind);
  }
};

TEST_CASE("kernel program: the processor chooses where nobody else does") {
  const Installed installed;
  CHECK(chosen_program(installed.small, {}, true) == installed.behind);
  CHECK(chosen_program(installed.small, {}, false).empty());
  CHECK(chosen_program(installed.large, {}, true).empty());
  fs::remove(installed.behind);
  CHECK(chosen_program(installed.small, {}, true).empty());
}

TEST_CASE("kernel program: what somebody chooses is taken") {
  const Installed installed;
  CHECK(chosen_program(installed.small, "avx2", true).empty());
  CHECK(chosen_program(installed.small, "avx512", true) == installed.behind);
  CHECK(chosen_program(installed.large, "avx2", true) == installed.called);
  CHECK(chosen_program({"neon", installed.called}, "neon", false).empty());
}

TEST_CASE("kernel program: what cannot be had is refused with what there is") {
  const Installed installed;
  const auto refused = [](const KernelProgram& one, const std::string& asked, bool avx512,
                          const std::string& why) {
    CHECK_THROWS_WITH(chosen_program(one, asked, avx512),
                      "FORETRAIN_KERNELS=" + asked + ": " + why);
  };
  refused(installed.small, "sse9", true, "is not known; write avx2 or avx512, or unset it");
  refused(installed.small, "avx512", false,
          "this processor has no AVX-512 (F, BW, CD, DQ, VL); write avx2, or unset it");
  const std::string alone =
      " kernels; unset it, install the package, which has both, or build with "
      "-DFORETRAIN_ARCH=x86-64-v";
  fs::remove(installed.behind);
  refused(installed.small, "avx512", true, "this program has only avx2" + alone + "4");
  // A program built for one machine does not belong to a package.
  refused({"avx512", installed.called}, "avx2", true, "this program has only avx512" + alone + "3");
}

TEST_CASE("kernel program: on every host the one is called that runs on any") {
  const Installed installed;
  CHECK(called_program(installed.called) == installed.called);
  CHECK(called_program(installed.behind) == installed.called);
  fs::remove(installed.called);
  CHECK(called_program(installed.behind) == installed.behind);
}

TEST_CASE("kernel program: unknown kernels end the program at once") {
  Sandbox sandbox;
  const Called called = sandbox.call("--version", "export FORETRAIN_KERNELS=sse9");
  CHECK(called.status == 2);
  CHECK(called.out.empty());
  CHECK_THAT(called.err, Catch::StartsWith("error: FORETRAIN_KERNELS=sse9: is not known"));
  CHECK(sandbox.call("--version", "export FORETRAIN_KERNELS=" + std::string(kernel_set())).status ==
        0);
}

TEST_CASE("kernel program: the program of another build is not become") {
  Sandbox sandbox;
  const std::string other = "0.0.9 (aaaaaaaaaaaa, wire 2)";
  const Called called =
      sandbox.call("--version", "export FORETRAIN_KERNELS_CAME_FROM='" + other + "'");
  CHECK(called.status == 2);
  CHECK_THAT(called.err,
             Contains("it is another build, " + build_name() + ", this one is " + other));
  CHECK(sandbox.call("--version", "export FORETRAIN_KERNELS_CAME_FROM='" + build_name() + "'")
            .status == 0);
}

TEST_CASE("kernel program: it becomes the other one with the same words, and says who it was") {
  const bool large = kernel_set() == "avx512";
  if (!large && (kernel_set() != "avx2" ||
                 testing::text_of("/proc/cpuinfo").find(" avx512bw") == std::string::npos)) {
    WARN("skipped: this build, or this processor, has nothing to choose from");
    return;
  }
  const Installed installed;
  const fs::path own = large ? installed.behind : installed.called;
  fs::remove(own);
  fs::copy_file(program_path(), own);
  put_program(large ? installed.called : installed.behind,
              "#!/bin/sh\necho \"$* $FORETRAIN_KERNELS $FORETRAIN_KERNELS_CAME_FROM\"\n");
  Sandbox sandbox;
  const std::string asked = large ? "avx2" : "avx512";
  const Called called = sandbox.call("--version", "FORETRAIN_KERNELS=" + asked + " '" +
                                                      own.string() + "' run a 'b c' >became.txt");
  CHECK(called.status == 0);
  CHECK(testing::text_of(sandbox.path("became.txt")) ==
        "run a b c " + asked + " " + build_name() + "\n");
}

}  // namespace
}  // namespace foretrain::exec
