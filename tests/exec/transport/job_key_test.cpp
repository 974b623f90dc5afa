// Proofs by a job key.
#include "exec/transport/job_key.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <string>

namespace foretrain::exec {
namespace {

std::string hex(const Proof& proof) {
  std::string text;
  for (const std::byte each : proof) text += fmt::format("{:02x}", static_cast<unsigned>(each));
  return text;
}

Nonce counting_from(int first) {
  Nonce nonce{};
  for (std::byte& each : nonce) each = static_cast<std::byte>(first++);
  return nonce;
}

const Nonce kOne = counting_from(0);
const Nonce kOther = counting_from(100);

TEST_CASE("job key: a proof is the HMAC-SHA256 of purpose and ids and nonces") {
  // Computed by another program (Python's hmac).
  const JobKey key("0123456789abcdef");
  CHECK(hex(key.prove(End::connecting, {2, kLauncher}, kOne, kOther)) ==
        "905b143bb248e959881d42108252a2bbe7bf9b97e4a31dd5c251f6cc06c81cec");
  CHECK(hex(key.prove(End::accepting, {2, kLauncher}, kOne, kOther)) ==
        "836be2ed24804b8646268e6fbc1afcf61d73a3599989abc88c0a06de2c43d85c");
}

TEST_CASE("job key: whatever differs makes another proof") {
  const JobKey key("0123456789abcdef");
  const Proof proof = key.prove(End::connecting, {1, 2}, kOne, kOther);
  CHECK(JobKey::equal(proof, key.prove(End::connecting, {1, 2}, kOne, kOther)));
  CHECK(!JobKey::equal(proof,
                       JobKey("0123456789abcdeF").prove(End::connecting, {1, 2}, kOne, kOther)));
  CHECK(!JobKey::equal(proof, JobKey().prove(End::connecting, {1, 2}, kOne, kOther)));
  CHECK(!JobKey::equal(proof, key.prove(End::accepting, {1, 2}, kOne, kOther)));
  CHECK(!JobKey::equal(proof, key.prove(End::connecting, {2, 1}, kOne, kOther)));
  CHECK(!JobKey::equal(proof, key.prove(End::connecting, {1, 2}, kOther, kOne)));
  CHECK(!JobKey::equal(proof, {proof.data(), 31}));
  CHECK(!JobKey::equal(proof, {}));
}

TEST_CASE("job key: nonces and random keys are never the same twice") {
  CHECK(draw_nonce() != draw_nonce());
  CHECK(JobKey::random().secret() != JobKey::random().secret());
  CHECK(JobKey::random().secret().size() == 64);
}

}  // namespace
}  // namespace foretrain::exec
