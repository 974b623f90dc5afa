// The rule that models uses no socket, thread, clock or random device.
#include "tests/house/checks.h"
#include "tests/house/tree.h"

#include <catch2/catch.hpp>

#include <string>

using namespace foretrain::house;

namespace {

std::vector<Finding> purity_of(const std::string& path, const std::string& text) {
  return purity_findings({{path, text}});
}

}  // namespace

TEST_CASE("purity: no file of models includes a socket, a thread, a clock or <random>") {
  const auto tree = files_of_tree({".h", ".cpp"});
  REQUIRE(tree.size() > 20);
  const auto findings = purity_findings(tree);
  INFO(describe(findings));
  CHECK(findings.empty());
}

TEST_CASE("purity: no draw in the tree differs between machines") {
  for (const SourceFile& file : files_of_tree({".h", ".cpp"})) {
    const auto findings = word_findings(file);
    INFO(describe(findings));
    CHECK(findings.empty());
  }
}

TEST_CASE("purity: an offending header is found in models") {
  const std::string header =
      GENERATE("random", "chrono", "ctime", "time.h", "sys/time.h", "thread", "mutex",
               "shared_mutex", "condition_variable", "future", "stop_token", "semaphore", "latch",
               "barrier", "pthread.h", "sys/socket.h", "netinet/tcp.h", "arpa/inet.h", "netdb.h",
               "sys/epoll.h", "poll.h", "unistd.h", "boost/asio.hpp", "boost/asio/ip/tcp.hpp");
  const auto findings =
      purity_of("models/base/bad.h", "// Bad.\n#pragma once\n\n#  include <" + header + ">\n");
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].file == "models/base/bad.h");
  CHECK(findings[0].line == 4);
  CHECK(findings[0].what.starts_with("<" + header + ">: models knows no "));
}

TEST_CASE("purity: other headers are fine in models, these are fine elsewhere") {
  CHECK(purity_of("models/base/a.h", "#include <atomic>\n#include <Eigen/Core>\n").empty());
  CHECK(purity_of("exec/driver/a.h", "#include <mutex>\n#include <boost/asio.hpp>\n").empty());
}

TEST_CASE("purity: <filesystem> is for models/data only") {
  CHECK(purity_of("models/data/idx.h", "#include <filesystem>\n").empty());
  CHECK(purity_of("models/layers/dense.h", "#include <filesystem>\n").size() == 1);
}

TEST_CASE("purity: a thread behind two includes of ours is found") {
  const auto findings = purity_findings({
      {"models/base/bad.h", "#include \"models/base/good.h\"\n#include \"tests/support/a.h\"\n"},
      {"models/base/good.h", "#include <vector>\n"},
      {"tests/support/a.h", "#include \"tests/support/b.h\"\n#include \"tests/support/a.h\"\n"},
      {"tests/support/b.h", "#include <thread>\n"},
  });
  CHECK(describe(findings) ==
        "models/base/bad.h:2: \"tests/support/a.h\" -> \"tests/support/b.h\" -> <thread>: models "
        "knows no thread\n");
}

TEST_CASE("purity: a draw of the standard library is found") {
  const std::string draw =
      GENERATE("std::shuffle(a, b, g);", "std::ranges::shuffle(a, g);", "int i = rand();",
               "int i = std::rand ();", "std::uniform_int_distribution<int> d(0, 1);",
               "std::normal_distribution d;", "std::mt19937 g(1);");
  const std::string folder = GENERATE("models", "scenarios", "reports", "sim", "exec");
  CAPTURE(draw, folder);
  const auto findings = word_findings({folder + "/bad.cpp", "// Bad.\n\n" + draw + "\n"});
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].line == 3);
}

TEST_CASE("purity: a clock is found in models by its name") {
  const std::string text = "// Bad.\nauto now = std::chrono::steady_clock::now();\n";
  CHECK(word_findings({"models/base/bad.cpp", text}).size() == 1);
  CHECK(word_findings({"exec/driver/clock.cpp", text}).empty());
}

TEST_CASE("purity: a policy that both drivers have is found in a driver") {
  const std::string text = "// Bad.\nconst bool small = runs_inline(job.cost);\n";
  const std::string folder = GENERATE("sim", "exec");
  CHECK(word_findings({folder + "/driver/bad.cpp", text}).size() == 1);
  CHECK(word_findings({"models/protocol/stages.cpp", text}).empty());
}

TEST_CASE("purity: words in comments, literals or longer names do not count") {
  const std::string text =
      "// std::shuffle differs between machines\n/* rand() */\n"
      "const char* text = \"std::mt19937 \\\" rand()\"; char quote = '\"';\n"
      "int brand(); int rand_max = 1'000; stream.shuffle(items);\n";
  CHECK(word_findings({"sim/engine/a.cpp", text}).empty());
  CHECK(word_findings({"sim/engine/a.cpp", text + "int i = rand();"}).size() == 1);
}
