// The option `--tls` of commands.
#include "tests/cli/sandbox.h"
#include "tests/cli/told.h"
#include "tests/support/certificates.h"

#include <catch2/catch.hpp>

#include <string>

namespace foretrain {
namespace {

using testing::Called;
using testing::Sandbox;

std::string weights_with(Sandbox& sandbox, const std::string& more) {
  return testing::weights_of(
      sandbox.call("run small.yaml --quiet --json --out out --force " + more));
}

TEST_CASE("tls: an encrypted run ends with the same weights, and its record says TLS") {
  Sandbox sandbox;
  const std::string plain = weights_with(sandbox, "");
  CHECK(testing::text_of(sandbox.path("out/run.json")).find("this machine, TLS") ==
        std::string::npos);
  CHECK(weights_with(sandbox, "--tls") == plain);
  CHECK(testing::text_of(sandbox.path("out/run.json")).find("this machine, TLS") !=
        std::string::npos);
  CHECK(weights_with(sandbox, "--tls --set training.servers=2 --set training.bucket_size='8 KB'") ==
        plain);
}

TEST_CASE("tls: a run with certificates of files ends with the same weights") {
  Sandbox sandbox;
  const testing::Authority authority(sandbox.path("authority.pem"));
  static_cast<void>(authority.issue(sandbox.path("node")));
  CHECK(weights_with(sandbox,
                     "--tls --tls-certificate node.pem --tls-key node.key --tls-authority "
                     "authority.pem") == weights_with(sandbox, ""));
}

TEST_CASE("tls: files that are wrong, or for nothing, end a run before any node starts") {
  Sandbox sandbox;
  const Called unused = sandbox.call("run small.yaml --tls-key node.key");
  CHECK(unused.status == 2);
  CHECK(unused.err.find("are not used without --tls") != std::string::npos);
  const Called missing = sandbox.call(
      "run small.yaml --tls --tls-certificate no.pem --tls-key no.key --tls-authority no.pem");
  CHECK(missing.status == 2);
  CHECK(missing.err.find("--tls-certificate no.pem: cannot be read") != std::string::npos);
}

TEST_CASE("tls: validate refuses to compare it with a forecast that knows none") {
  Sandbox sandbox;
  const Called called = sandbox.call("validate small.yaml --tls");
  CHECK(called.status == 2);
  CHECK(called.err.find("forecasts do not include encryption") != std::string::npos);
}

}  // namespace
}  // namespace foretrain
