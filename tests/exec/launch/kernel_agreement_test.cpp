// Nodes with different kernels agree on kernels that all of them have.
#include "exec/launch/kernel_agreement.h"

#include "exec/launch/control.h"
#include "exec/transport/handshake.h"
#include "models/networks/registry.h"
#include "tests/exec/launch/played_rank.h"
#include "tests/support/task_job.h"

#include <boost/asio/io_context.hpp>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace foretrain::exec {
namespace {

using Catch::Contains;
using testing::TaskJob;

const NodeKernels kHasBoth{"worker0", "avx512", {"avx2"}};
const NodeKernels kHasAvx2{"worker1", "avx2", {}};
const NodeKernels kHasAvx512{"server0", "avx512", {}};
const NodeKernels kHasNeon{"server0", "neon", {}};

std::string agreed_by(const std::vector<NodeKernels>& nodes, const std::string& preferred = "") {
  const KernelAgreement agreed = agree_on_kernels(nodes, preferred);
  CHECK(agreed.wrong.empty());
  return agreed.kernels;
}

TEST_CASE("kernel agreement: all take the largest set that each has") {
  CHECK(agreed_by({kHasBoth, kHasBoth}) == "avx512");
  CHECK(agreed_by({kHasBoth, kHasAvx512}) == "avx512");
  CHECK(agreed_by({kHasBoth, kHasAvx2}) == "avx2");
  CHECK(agreed_by({kHasAvx2, kHasBoth, kHasBoth}) == "avx2");
  CHECK(agreed_by({kHasNeon, kHasNeon}) == "neon");
}

TEST_CASE("kernel agreement: a smaller set is taken where it is preferred and each has it") {
  CHECK(agreed_by({kHasBoth, kHasBoth}, "avx2") == "avx2");
  CHECK(agreed_by({kHasBoth, kHasAvx512}, "avx2") == "avx512");
  CHECK(agreed_by({kHasBoth, kHasAvx2}, "avx512") == "avx2");
}

TEST_CASE("kernel agreement: where nodes have none in common each set is named, once") {
  const KernelAgreement agreed =
      agree_on_kernels(std::vector<NodeKernels>{kHasAvx2, kHasAvx2, kHasAvx512}, "avx512");
  CHECK(agreed.kernels.empty());
  CHECK_THAT(agreed.wrong, Contains("different kernels") &&
                               Contains(": worker1 with avx2, server0 with avx512; install") &&
                               Contains("-DFORETRAIN_ARCH"));
  CHECK(!agree_on_kernels(std::vector<NodeKernels>{kHasBoth, kHasNeon}, "").wrong.empty());
}

TEST_CASE("kernel agreement: what all began with is kept, else who lacks it is named") {
  const auto kept = [](const std::vector<NodeKernels>& nodes, const std::string& before) {
    const KernelAgreement agreed = keep_kernels(nodes, before);
    CHECK(agreed.wrong.empty());
    return agreed.kernels;
  };
  CHECK(kept({kHasBoth, kHasBoth}, "avx2") == "avx2");
  CHECK(kept({kHasAvx512, kHasBoth}, "avx512") == "avx512");
  const KernelAgreement agreed =
      keep_kernels(std::vector<NodeKernels>{kHasBoth, kHasAvx2}, "avx512");
  CHECK(agreed.kernels.empty());
  CHECK_THAT(agreed.wrong,
             Contains("worker1 computes with avx2 kernels, but all began with avx512"));
}

// Connects to the launcher as rank 1 until it has sent its kernels; returns the launcher's answer.
std::string tell_kernels(int port, const std::string& kernels,
                         const std::vector<std::string>& others) {
  const auto talk = [&](boost::asio::io_context& loop,
                        const std::shared_ptr<Connection>& connection, std::string& answer) {
    const auto on_frame = [&loop, &answer, &kernels, &others, &held = *connection](
                              const FrameHeader& header, const Payload& payload) {
      if (header.kind == static_cast<std::uint16_t>(ControlKind::setup)) {
        return send_json(held, ControlKind::listening, NodeId(1),
                         {{"host", "here"},
                          {"address", "127.0.0.1"},
                          {"port", 0},
                          {"kernels", kernels},
                          {"other_kernels", others}});
      }
      const bool again = header.kind == static_cast<std::uint16_t>(ControlKind::kernels);
      answer = (again ? "again: " : "not: ") + std::string(text_of(payload));
      loop.stop();
    };
    const Handshake handshake{.key = JobKey(testing::kJobKey), .most_payload = kMostControl};
    handshake.begin(
        connection, {1, kLauncher},
        [on_frame, &loop](const auto& proved, std::uint32_t) {
          proved->start(on_frame, [&loop](const std::string&) { loop.stop(); });
        },
        [&answer](const Refused& refused) { answer = refused.why; });
  };
  return testing::talk_to_launcher(port, std::chrono::seconds(30), talk);
}

TEST_CASE("kernel agreement: a node with other kernels is told to begin again, joins, trains") {
  TaskJob job(3);
  job.start(0);
  job.start(2);
  const std::string native(kernel_set());
  CHECK(tell_kernels(job.port(), "made-up", {"others", native}) == "again: " + native);
  job.start(1);
  for (const int rank : {0, 1, 2}) {
    CAPTURE(job.errors(rank));
    CHECK(job.end_of(rank) == 0);
  }
  CHECK(job.answer().at("kernel_set") == native);
  CHECK(job.answer().at("weights_sha256") == job.ordinary_answer().at("weights_sha256"));
  CHECK_THAT(job.errors(0),
             Contains("all nodes compute with " + native +
                      " kernels, which every host has; restarted, since they had others: worker1"));
}

TEST_CASE("kernel agreement: a node that has other kernels alone ends the run, both are named") {
  TaskJob job(3);
  job.start(0);
  job.start(2);
  CHECK(tell_kernels(job.port(), "made-up", {}) == "not: failed");
  CHECK(job.end_of(0) == 1);
  CHECK(job.end_of(2) == 1);
  const std::string failure = job.answer().at("failure");
  CHECK_THAT(failure,
             Contains("nodes compute with different kernels, whose results differ: worker0") &&
                 Contains(" with " + std::string(kernel_set()) + ", ") &&
                 Contains("worker1 (rank 1) with made-up; install the package"));
}

// Starts a ring of three and kills rank 1; the others wait for it.
void kill_one_of_a_ring(TaskJob& job) {
  std::ofstream(job.path("small.yaml"))
      << "foretrain: 1\nname: small\ndataset: {take: 300, test_take: 100}\n"
         "training: {strategy: all_reduce, workers: 3, batch_size: 16, steps: 8000, "
         "bucket_size: 8 kB, rejoin_limit: 30 s}\ncheckpoint: {every: 100 steps}\n";
  for (const int rank : {0, 1, 2}) job.start(rank);
  job.wait_for_steps();
  job.kill_rank(1);
  CHECK(job.end_of(1) == 128 + SIGKILL);
  const auto told_at = [&] { return job.errors(0).find("the others wait for it"); };
  for (int i = 0; i < 3'000 && told_at() == std::string::npos; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  CAPTURE(job.errors(0));
  REQUIRE(told_at() != std::string::npos);
}

TEST_CASE("kernel agreement: who comes for a lost one takes the kernels of the others") {
  TaskJob job(3);
  kill_one_of_a_ring(job);
  const std::string native(kernel_set());
  CHECK(tell_kernels(job.port(), "made-up", {native}) == "again: " + native);
  job.start(1);
  for (const int rank : {0, 1, 2}) {
    CAPTURE(job.errors(rank));
    CHECK(job.end_of(rank) == 0);
  }
  CHECK_THAT(job.errors(0), Contains("restarted, since they had others: worker1") &&
                                Contains("all nodes have joined again; "));
  CHECK(job.answer().at("weights_sha256") == job.ordinary_answer().at("weights_sha256"));
}

TEST_CASE("kernel agreement: who comes for a lost one, and lacks its kernels, ends the run") {
  TaskJob job(3);
  kill_one_of_a_ring(job);
  CHECK(tell_kernels(job.port(), "made-up", {}) == "not: failed");
  CHECK(job.end_of(0) == 1);
  CHECK(job.end_of(2) == 1);
  const std::string failure = job.answer().at("failure");
  CHECK_THAT(failure,
             Contains("worker1 (rank 1) computes with made-up kernels, but all began with " +
                      std::string(kernel_set())));
}

}  // namespace
}  // namespace foretrain::exec
