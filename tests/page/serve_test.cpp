// The served page in headless Chromium.
#include "tests/cli/served_page.h"
#include "tests/page/browser.h"
#include "tests/support/instruments.h"
#include "tests/support/places.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace foretrain {
namespace {

using namespace testing;
namespace fs = std::filesystem;

TEST_CASE("page that is served: what it shows is what simulate says, whatever is moved") {
  if (!can_test_in_browser()) return;
  Sandbox sandbox;
  sandbox.write("star.yaml",
                "foretrain: 1\nname: star\nquestion: What does the wire cost?\n"
                "training: {strategy: sync, workers: 3, servers: 1, batch_size: 64, steps: 1000}\n"
                "cluster:\n"
                "  hosts: [{name: node, count: 4, nic: 1 Gbps, latency: 20 us, compute: 2 ms,\n"
                "           price: 3.60 per hour}]\n"
                "numerics: off\n");
  const ServedPage served(sandbox, {"star.yaml", "--machine", "machine.yaml"});
  const fs::path out = build_dir() / "tests/page";
  fs::create_directories(out);
  const std::string log = (out / "serve.log").string();
  const std::string command = fmt::format(
      "node '{}/tests/page/serve_check.mjs' '{}/reports/show/page' '{}' '{}' '{}' '{}' "
      "\"$(command -v chromium)\" {} > '{}' 2>&1",
      source_dir(), build_dir().string(), served.address(), (out / "serve").string(),
      program_path(), sandbox.path("").string(), kSanitized ? "slow" : "", log);
  const int status = std::system(command.c_str());
  INFO(text_of(log));
  REQUIRE(status == 0);
  for (const char* shot : {"-400-light.png", "-1600-light.png", "-1600-dark.png"}) {
    CHECK(fs::file_size(out / (std::string("serve") + shot)) > 20'000);
  }
}

}  // namespace
}  // namespace foretrain
