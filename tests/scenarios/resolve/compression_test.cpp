// The keys of `training: compression:`.
#include "scenarios/resolve/equal_work.h"
#include "scenarios/resolve/prepared.h"
#include "scenarios/resolve/read.h"
#include "tests/scenarios/messages.h"

#include <string>

namespace foretrain {
namespace {
using Catch::Matchers::Contains;

std::string compressed_text(const std::string& compression, const std::string& more = "",
                            const std::string& top = "") {
  return "foretrain: 1\n" + top + "training: {" + more + "compression: " + compression + "}\n";
}

Compression read_compression(const std::string& compression, const std::string& top = "") {
  return only(compressed_text(compression, "", top)).training.compression;
}

TEST_CASE("compression keys: every key reaches its member, in short or not") {
  Compression fp16;
  fp16.kind = "fp16";
  CHECK(read_compression("fp16") == fp16);
  CHECK(read_compression("{kind: fp16}") == fp16);
  Compression topk;
  topk.kind = "topk";
  CHECK(read_compression("topk") == topk);
  topk.share = 0.05;
  topk.encode_s = 1.5e-9;
  CHECK(read_compression("{kind: topk, share: 0.05, encode: 1.5 ns}") == topk);
  Compression ratio;
  ratio.kind = "ratio";
  ratio.ratio = 4;
  CHECK(read_compression("{kind: ratio, ratio: 4}", "numerics: off\n") == ratio);
  CHECK(only("foretrain: 1\n").training.compression == Compression{});
}

TEST_CASE("compression keys: the resolved scenario says them to be read back") {
  for (const std::string compression :
       {"none", "fp16", "{kind: topk, share: 0.2, encode: 20 ps}"}) {
    const Scenario scenario = only(compressed_text(compression));
    CHECK(only(to_yaml(scenario)) == scenario);
  }
  CHECK_THAT(to_yaml(only("foretrain: 1\n")), !Contains("compression"));
}

TEST_CASE("compression keys: what nothing would come of is an error with its place") {
  CHECK_THAT(scenario_error(compressed_text("{kind: fp16, share: 0.1}")),
             Contains("x.yaml:2:") && Contains("training.compression.share") &&
                 Contains("only topk sends a share"));
  CHECK_THAT(scenario_error(compressed_text("{kind: topk, ratio: 3}")),
             Contains("only kind ratio"));
  CHECK_THAT(scenario_error(compressed_text("{encode: 1 ns}")), Contains("nothing is encoded"));
  CHECK_THAT(scenario_error(compressed_text("{kind: ratio}")),
             Contains("training.compression.ratio"));
  CHECK_THAT(scenario_error(compressed_text("{kind: topk, share: 0.3}")), Contains("0.25"));
  CHECK_THAT(scenario_error(compressed_text("{kind: topk, share: 0}")), Contains("share"));
  CHECK_THAT(scenario_error(compressed_text("{kind: fp16, encode: 2}")), Contains("unit"));
  CHECK_THAT(scenario_error(compressed_text("bf16")), Contains("fp16"));
  CHECK_THAT(scenario_error(compressed_text("fp16", "strategy: single, ")),
             Contains("training.compression") && Contains("a single worker sends nothing"));
  const std::string strategy = GENERATE("all_reduce", "local_sgd");
  CHECK_THAT(scenario_error(compressed_text("topk", "strategy: " + strategy + ", ")),
             Contains("training.compression") && Contains("use sync, async or ssp"));
  CHECK_THAT(scenario_error(compressed_text("fp16", "strategy: local_sgd, ")),
             Contains("training.compression") && Contains("use all_reduce"));
  CHECK(only(compressed_text("fp16", "strategy: all_reduce, ")).training.compression.wanted());
}

TEST_CASE("compression keys: a forecast of sums among workers knows a ratio") {
  const auto cases =
      parse_scenario(compressed_text("{kind: ratio, ratio: 2}", "", "numerics: off\n") +
                         "sweep: {training.strategy: [sync, all_reduce]}\n",
                     "x.yaml");
  REQUIRE(cases.size() == 2);
  for (const Case& each : cases) CHECK(each.scenario.training.compression.only_sizes());
}

TEST_CASE("compression keys: ratio needs a forecast without numbers") {
  CHECK_THAT(scenario_error(compressed_text("{kind: ratio, ratio: 2}")),
             Contains("training.compression.kind") && Contains("numerics: off"));
}

TEST_CASE("compression keys: it is another training, but for what encoding takes") {
  const Scenario plain = only("foretrain: 1\n");
  const Scenario fp16 = only(compressed_text("fp16"));
  CHECK(difference_in_training(plain, fp16)->key == "training.compression");
  CHECK_FALSE(difference_in_training(fp16, only(compressed_text("{kind: fp16, encode: 1 ns}"))));
  CHECK_FALSE(difference_in_training(fp16, only(compressed_text("fp16", "servers: 2, "))));
  // Each bucket sends a share of its own numbers.
  const Scenario topk = only(compressed_text("topk"));
  CHECK(difference_in_training(topk, only(compressed_text("topk", "servers: 2, ")))->key ==
        "training.servers");
}

}  // namespace
}  // namespace foretrain
