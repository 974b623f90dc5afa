// A newcomer's first commands: their own scenario, those of the library.
#include "reports/cli/command_line.h"
#include "scenarios/language/input_error.h"
#include "scenarios/library/library.h"
#include "tests/cli/sandbox.h"

#include <catch2/catch.hpp>

#include <sstream>
#include <string>

namespace foretrain {
namespace {

using testing::Called;
using testing::Sandbox;
using testing::text_of;

TEST_CASE("new: options make a scenario that check takes, with what to do next") {
  Sandbox sandbox;
  const std::string call =
      "new --model lenet --data digits --cluster 'dgx-1 x 2' --question bottleneck --out mine.yaml "
      "</dev/null";
  const Called made = sandbox.call(call);
  INFO(made.err);
  REQUIRE(made.status == 0);
  CHECK(made.out.find("written: mine.yaml\n") == 0);
  CHECK(made.out.find("foretrain whatif mine.yaml") != std::string::npos);
  const std::string text = text_of(sandbox.path("mine.yaml"));
  CHECK(text.find("# yaml-language-server: $schema=schema.json\n# What limits this training") == 0);
  CHECK(text.find("#   foretrain check --schema >schema.json\n") != std::string::npos);
  CHECK(text.find("like: dgx-1, count: 2") != std::string::npos);
  const Called checked = sandbox.call("check mine.yaml");
  CHECK(checked.status == 0);
  CHECK(checked.out.find("\nname: mine\n") != std::string::npos);
  CHECK(checked.out.find("workers: 16") != std::string::npos);

  sandbox.write("mine.yaml", "my work\n");
  const Called again = sandbox.call(call);
  CHECK(again.status == 2);
  CHECK(again.err.find("error: mine.yaml exists already") == 0);
  CHECK(text_of(sandbox.path("mine.yaml")) == "my work\n");
  CHECK(sandbox.call("new --force --out mine.yaml --question workers </dev/null").status == 0);
  CHECK(text_of(sandbox.path("mine.yaml")).find("\n# How much faster") != std::string::npos);
}

TEST_CASE("new: a network by name is forecast, whatif says what limits it") {
  Sandbox sandbox;
  const Called made = sandbox.call(
      "new --model GPT2 --cluster G4DN.12xlarge --out mine.yaml "
      "</dev/null");
  INFO(made.err);
  REQUIRE(made.status == 0);
  CHECK(made.out.find("foretrain whatif mine.yaml") != std::string::npos);
  const Called forecast = sandbox.call("simulate mine.yaml");
  CHECK(forecast.status == 0);
  CHECK(forecast.out.find("It fits with shard: parameters: ") == 0);
  const Called change = sandbox.call("whatif mine.yaml --full");
  CHECK(change.status == 0);
  CHECK(change.out.find("\n double nodes ") != std::string::npos);
  const Called rented = sandbox.call(
      "new --model gpt2 --cluster g4dn.12xlarge --question budget "
      "--out rented.yaml </dev/null");
  CHECK(rented.out.find("whatif rented.yaml --deadline 72h --budget 20000") != std::string::npos);
  CHECK(sandbox.call("check rented.yaml").status == 0);
  const Called nowhere = sandbox.call("new --model gpt2 --out other.yaml </dev/null");
  CHECK(nowhere.status == 2);
  CHECK(nowhere.err.find("error: --model gpt2 needs --cluster: hosts with devices, such as "
                         "--cluster 'p5.48xlarge x 4'") == 0);
  CHECK_FALSE(sandbox.has("other.yaml"));
}

TEST_CASE("new: without a terminal nothing is asked, without an option all is proposed") {
  Sandbox sandbox;
  const Called made = sandbox.call("new </dev/null");
  CHECK(made.status == 0);
  CHECK(made.err.empty());
  CHECK(sandbox.call("check scenario.yaml").out.find("strategy=async") != std::string::npos);
  const Called wrong = sandbox.call("new --model lennet --out other.yaml </dev/null");
  CHECK(wrong.status == 2);
  CHECK(wrong.err.find("error: --model lennet: did you mean lenet?") == 0);
  CHECK_FALSE(sandbox.has("other.yaml"));
  CHECK(sandbox.call("new --question why </dev/null").status == 2);
  CHECK(sandbox.call("new --out . </dev/null").status == 2);
}

TEST_CASE("new: at a terminal each answer is asked for until it means something") {
  std::istringstream in("lennet\n lenet \nidx\n\ndgx-1 x 2\nbottleneck\n");
  std::string told;
  const Scaffold scaffold = ask_scaffold({}, in, [&](const std::string& text) { told += text; });
  CHECK(scaffold.model == "lenet");
  CHECK(scaffold.data == "idx");
  CHECK(scaffold.path == "data/idx");
  CHECK(scaffold.cluster == "dgx-1 x 2");
  CHECK(scaffold.question == "bottleneck");
  CHECK(told.find("model [softmax]: ") != std::string::npos);
  CHECK(told.find("did you mean lenet?") != std::string::npos);
  CHECK(told.find("path [data/idx]: ") != std::string::npos);
  CHECK(told.find("What limits this training") != std::string::npos);
}

TEST_CASE("new: what an option said is not asked again, an end of answers is no answer") {
  std::istringstream in("\nhere\n");
  std::string told;
  const auto say = [&](const std::string& text) { told += text; };
  const Scaffold scaffold = ask_scaffold({"softmax", "", "", "", "workers"}, in, say);
  CHECK(scaffold.data == "digits");
  CHECK(told.find("model [") == std::string::npos);
  CHECK(told.find("path [") == std::string::npos);
  CHECK(told.find("question [") == std::string::npos);
  std::istringstream ended("softmax\n");
  CHECK_THROWS_WITH(ask_scaffold({}, ended, say), Catch::Contains("nothing is written"));
}

TEST_CASE("new: of a network by name neither data nor a folder is asked, a cluster is proposed") {
  std::istringstream in("Llama-3-8B\nhere\n\n\n");
  std::string told;
  const Scaffold scaffold = ask_scaffold({}, in, [&](const std::string& text) { told += text; });
  CHECK(scaffold.model == "llama-3-8b");
  CHECK(scaffold.cluster == "p5.48xlarge x 4");
  CHECK(scaffold.question == "bottleneck");
  CHECK(scaffold.data.empty());
  CHECK(told.find("mpt-125m") != std::string::npos);
  CHECK(told.find("data [") == std::string::npos);
  CHECK(told.find("Is asynchronous training faster") == std::string::npos);
  CHECK(told.find("--cluster here: llama-3-8b needs hosts with devices") != std::string::npos);
}

}  // namespace
}  // namespace foretrain
