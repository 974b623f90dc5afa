// The command `check` on files, on shapes that a training would reject.
#include "tests/cli/sandbox.h"

#include <catch2/catch.hpp>

#include <string>

namespace foretrain {
namespace {

using Catch::Contains;
using testing::Called;
using testing::Sandbox;

// `more` begins on line 4.
Called checked(Sandbox& sandbox, const std::string& more) {
  sandbox.write(
      "named.yaml",
      "foretrain: 1\nname: named\ntraining: {workers: 2, batch_size: 16, steps: 10}\n" + more);
  return sandbox.call("check named.yaml");
}

}  // namespace

TEST_CASE("check: shapes of layers that do not fit are told, behind the scenario") {
  Sandbox sandbox;
  const Called called = checked(sandbox,
                                "dataset: {take: 300, test_take: 100}\n"
                                "model: {layers: [{kind: conv, units: 6, size: 40}, dense]}\n");
  CHECK(called.status == 2);
  CHECK_THAT(called.out, Contains("batch_size: 16"));
  CHECK_THAT(called.err,
             Contains("named.yaml:5:18: model.layers[0]: layer 0 (conv): a window of 40 x 40"));
  // Limits of the layer's code are checked too.
  const Called large = checked(sandbox, "model: {layers: [{kind: max_pool, size: 17}, dense]}\n");
  CHECK(large.status == 2);
  CHECK_THAT(large.err, Contains("named.yaml:4:18: model.layers[0]: layer 0 (max_pool): size is "
                                 "at most 16"));
}

TEST_CASE("check: files that are not there are told at the key that names them") {
  Sandbox sandbox;
  struct Wrong {
    std::string more;
    std::string told;
  };
  for (const Wrong& wrong :
       {Wrong{"dataset: {format: idx, path: nowhere}\n", "named.yaml:4:30: dataset.path: "},
        Wrong{"model: {profile: none.csv}\n", "named.yaml:4:18: model.profile: "},
        Wrong{"stragglers: [{workers: [0], trace: none.csv}]\n",
              "named.yaml:4:36: stragglers[0].trace: "},
        Wrong{"cluster: {hosts: [{name: a, count: 2, machine: none.yaml}]}\n",
              "named.yaml:4:48: cluster.hosts[0].machine: "}}) {
    CAPTURE(wrong.more);
    const Called called = checked(sandbox, wrong.more);
    CHECK(called.status == 2);
    CHECK_THAT(called.err, Contains(wrong.told));
  }
  const Called start = sandbox.call("check small.yaml --set training.init.from=none.safetensors");
  CHECK(start.status == 2);
  CHECK_THAT(start.err, Contains("training.init.from: none.safetensors: cannot be read"));
}

TEST_CASE("check: more workers than examples, more servers than parameters are told") {
  Sandbox sandbox;
  const Called workers = sandbox.call("check small.yaml --set training.workers=301");
  CHECK(workers.status == 2);
  CHECK_THAT(workers.err, Contains("training.workers: 301 workers for 300 training examples"));
  CHECK(sandbox.call("check small.yaml").status == 0);
}

}  // namespace foretrain
