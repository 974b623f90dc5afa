// Tasks of a foreign launcher: real processes that find each other by environment variables.
#include "exec/transport/handshake.h"
#include "tests/exec/launch/played_rank.h"
#include "tests/support/certificates.h"
#include "tests/support/task_job.h"

#include <boost/asio/io_context.hpp>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace foretrain::testing {
namespace {

// Connects to the launcher as rank 1; returns the reason of the rejection.
std::string try_to_join(int port, const exec::Handshake& handshake) {
  return talk_to_launcher(
      port, std::chrono::seconds(2),
      [&](boost::asio::io_context&, const auto& connection, std::string& answer) {
        handshake.begin(
            connection, {1, exec::kLauncher}, [](const auto&, std::uint32_t) {},
            [&](const exec::Refused& refused) { answer = refused.why; });
      });
}

TEST_CASE("tasks: three processes find each other by variables while a stranger is kept out") {
  TaskJob job(3);
  job.start(0);
  const exec::Handshake stranger{exec::JobKey("not-the-key-of-the-job"), {1'000}};
  CHECK(try_to_join(job.port(), stranger) == "it knows another job key");
  job.start(1);
  job.start(2);
  CHECK(job.end_of(0) == 0);
  CHECK(job.end_of(1) == 0);
  CHECK(job.end_of(2) == 0);
  const nlohmann::json answer = job.answer();
  CHECK(answer.at("outcome") == "done");
  CHECK(answer.at("weights_sha256") == job.ordinary_answer().at("weights_sha256"));
  CHECK(answer.at("updates") == 200);
  CHECK(answer.at("refused").get<int>() >= 1);
  CHECK(answer.at("nodes").at(1).at("core").is_null());  // the foreign launcher places tasks
  CHECK(job.errors(0).find(", which called itself worker1: it does not know the job key") !=
        std::string::npos);
  CHECK(job.file("1.out").empty());
  CHECK(job.file("2.out").empty());
  CHECK(job.file("out/run.json").find("\"refused\"") != std::string::npos);
}

TEST_CASE("tasks: the cases of a sweep are run in turn by the same processes") {
  TaskJob job(3);
  const std::vector<std::string> sweep{"--set", "sweep.training.strategy=[sync, async]"};
  for (const int rank : {2, 1, 0}) job.start(rank, sweep);  // rank 0, the launcher, starts last
  for (const int rank : {0, 1, 2}) CHECK(job.end_of(rank) == 0);
  const auto answer = job.answer();
  REQUIRE(answer.at("cases").size() == 2);
  for (const auto& each : answer.at("cases")) CHECK(each.at("outcome") == "done");
}

TEST_CASE("tasks: validate trains as often as it likes, then all ranks end") {
  TaskJob job(3);
  job.command = "validate";
  const std::vector<std::string> more{"--repeat", "2", "--set",
                                      "cluster.hosts=[{name: node, count: 3, compute: 1 ms}]"};
  for (const int rank : {0, 1, 2}) job.start(rank, more);
  for (const int rank : {0, 1, 2}) {
    CAPTURE(job.errors(rank));
    CHECK(job.end_of(rank) == 0);
  }
  const nlohmann::json answer = job.answer();
  CHECK(answer.at("repetitions") == 2);
  CHECK(answer.at("verdicts").size() == 1);
  CHECK(job.file("1.out").empty());
  CHECK(job.file("2.out").empty());
}

TEST_CASE("tasks: validate knows nothing of machines that no cluster describes") {
  TaskJob job(3);
  job.command = "validate";
  for (const int rank : {0, 1, 2}) job.start(rank);
  for (const int rank : {0, 1, 2}) CHECK(job.end_of(rank) == 2);
  CHECK(job.errors(2).find("`calibrate --cluster`, started like this, writes it") !=
        std::string::npos);
}

TEST_CASE("tasks: a rank that never comes is named when the time is up") {
  TaskJob job(3, "2 s");
  job.start(0);
  job.start(1);
  CHECK(job.end_of(0) == 1);
  CHECK(job.end_of(1) == 1);
  CHECK(job.answer().at("failure") == "server0 (rank 2) did not join within 2 s");
  CHECK(job.errors(1) == "error: rank 1: the training failed; rank 0 says why\n");
}

TEST_CASE("tasks: without rank 0 the others say where they looked for it") {
  TaskJob job(3, "300 ms");
  job.start(2);
  CHECK(job.end_of(2) == 1);
  const std::string where = "rank 0) at 127.0.0.1:" + std::to_string(job.port());
  CHECK(job.errors(2).find("error: rank 2: could not join the launcher (" + where) == 0);
  CHECK(job.errors(2).find("MASTER_PORT") != std::string::npos);
}

TEST_CASE("tasks: a rank with another key is refused and says so") {
  TaskJob job(3, "2 s");
  job.start(0);
  job.start(2);
  job.start(1, {}, "not-the-key-of-the-job");
  CHECK(job.end_of(1) == 1);
  CHECK(job.errors(1).find("it knows another job key; give the same key") != std::string::npos);
  CHECK(job.end_of(0) == 1);
  CHECK(job.end_of(2) == 1);
  CHECK(job.answer().at("failure") ==
        "worker1 (rank 1) did not join within 2 s; a connection that called itself worker1 was "
        "refused: it does not know the job key");
  CHECK(job.answer().at("refused") == 1);
}

TEST_CASE("tasks: a rank of another build ends the run at once and both are named") {
  TaskJob job(3);
  job.start(0);
  const exec::Handshake older{.key = exec::JobKey(kJobKey),
                              .most_payload = {1'000},
                              .build = "0.0.9 (aaaaaaaaaaaa, wire 2)"};
  const std::string at_node = try_to_join(job.port(), older);
  CHECK(at_node.find("it is another build, " + exec::build_name() + ", this one is 0.0.9") == 0);
  CHECK(job.end_of(0) == 1);
  const std::string failure = job.answer().at("failure");
  CHECK(failure.find("a node at 127.0.0.1:") == 0);
  CHECK(failure.find(": it is another build, 0.0.9 (aaaaaaaaaaaa, wire 2), this one is " +
                     exec::build_name() + "; build foretrain of the same commit on every host") !=
        std::string::npos);
}

TEST_CASE("tasks: a number that does not fit the scenario ends all of them with the right one") {
  TaskJob job(2);
  job.start(0);
  job.start(1);
  for (const int rank : {0, 1}) {
    CHECK(job.end_of(rank) == 2);
    CHECK(job.errors(rank).find("started were 2 tasks: start 3") != std::string::npos);
  }
}

// Starts a training that would take hours and waits for its first steps.
void start_long(TaskJob& job, const std::string& strategy) {
  const std::vector<std::string> hours{"--set", "training.steps=100000000", "--set",
                                       "training.strategy=" + strategy};
  for (const int rank : {0, 1, 2}) job.start(rank, hours);
  job.wait_for_steps();
}

TEST_CASE("tasks: a rank that is killed ends the others and the record names it") {
  TaskJob job(3);
  start_long(job, "sync");
  job.kill_rank(1);
  CHECK(job.end_of(0) == 1);
  CHECK(job.end_of(2) == 1);
  CHECK(job.answer().at("failure").get<std::string>().find("worker1") == 0);
  CHECK(job.file("out/run.json").find("worker1") != std::string::npos);
}

TEST_CASE("tasks: a second process of a rank is told that the first is there, which goes on") {
  TaskJob job(4);
  const std::vector<std::string> hours{"--set", "training.steps=100000000"};
  const std::map<std::string, std::string> three{{"WORLD_SIZE", "3"}};
  for (const int rank : {0, 1, 2}) job.start(rank, hours, kJobKey, three);
  job.wait_for_steps();
  job.start(3, hours, kJobKey, {{"WORLD_SIZE", "3"}, {"RANK", "1"}});
  CHECK(job.end_of(3) == 1);
  const std::string told = job.errors(3);
  CAPTURE(told);
  CHECK(told.find("error: rank 1: worker1 (rank 1) has joined already, from 127.0.0.1:") == 0);
  CHECK(told.find("; start one process per node\n") != std::string::npos);
  CHECK(told.find("lost the launcher") == std::string::npos);
  job.kill_rank(0, SIGINT);
  for (const int rank : {0, 1, 2}) CHECK(job.end_of(rank) == 130);
  CHECK(job.answer().at("refused") == 1);
}

TEST_CASE("tasks: a rank 0 that is killed takes its own node with it and the others end") {
  TaskJob job(3);
  start_long(job, "async");
  job.kill_rank(0);
  CHECK(job.end_of(0) == 128 + SIGKILL);
  for (const int rank : {1, 2}) {
    CHECK(job.end_of(rank) == 1);
    CHECK(job.errors(rank).find("lost the launcher") != std::string::npos);
  }
}

const std::vector<std::string> kWithTls{"--tls"};

TEST_CASE("tasks: --tls in every task ends with the same weights, and the record says so") {
  TaskJob job(3);
  job.start(0, kWithTls);
  job.start(1, {}, kJobKey, {{"FORETRAIN_TLS", "on"}});  // as a job script sets it for all
  job.start(2, kWithTls);
  for (const int rank : {0, 1, 2}) CHECK(job.end_of(rank) == 0);
  CHECK(job.answer().at("weights_sha256") == job.ordinary_answer().at("weights_sha256"));
  CHECK(job.file("out/run.json").find("RANK and WORLD_SIZE, TLS\"") != std::string::npos);
}

TEST_CASE("tasks: where rank 0 alone has --tls, or all but rank 0, all end at once and say so") {
  const bool launcher = GENERATE(true, false);
  TaskJob job(3);
  const auto begun = std::chrono::steady_clock::now();
  job.start(0, launcher ? kWithTls : std::vector<std::string>{});
  job.start(1, launcher ? std::vector<std::string>{} : kWithTls);
  CHECK(job.end_of(0) == 1);
  CHECK(job.end_of(1) == 1);
  CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(10));
  const std::string encrypts = ": it encrypts, this end does not; give --tls to every task";
  const std::string plain = ": it does not encrypt, this end does; give --tls to every task";
  const std::string failure = job.answer().at("failure");
  CHECK(failure.find("a node at 127.0.0.1:") == 0);
  CHECK(failure.find(launcher ? plain : encrypts) != std::string::npos);
  CHECK(job.errors(1).find(launcher ? encrypts : plain) != std::string::npos);
}

TEST_CASE("tasks: with --tls a rank with another key is refused at once and says so") {
  TaskJob job(3, "2 s");
  job.start(0, kWithTls);
  job.start(1, kWithTls, "not-the-key-of-the-job");
  CHECK(job.end_of(1) == 1);
  CHECK(job.errors(1).find("its certificate is not of this job key; give the same key to every "
                           "task") != std::string::npos);
  CHECK(job.end_of(0) == 1);
  CHECK(job.errors(0).find("a stranger: it does not accept this end's certificate") !=
        std::string::npos);
}

TEST_CASE("tasks: with --tls certificates of files are taken from variables, too") {
  TaskJob job(3);
  const Authority authority(job.path("authority.pem"));
  for (const int rank : {0, 1, 2}) {
    const exec::TlsFiles files = authority.issue(job.path("node" + std::to_string(rank)));
    job.start(rank, kWithTls, kJobKey,
              {{"FORETRAIN_TLS_CERTIFICATE", files.certificate},
               {"FORETRAIN_TLS_KEY", files.key},
               {"FORETRAIN_TLS_AUTHORITY", files.authority}});
  }
  for (const int rank : {0, 1, 2}) CHECK(job.end_of(rank) == 0);
  CHECK(job.answer().at("weights_sha256") == job.ordinary_answer().at("weights_sha256"));
}

}  // namespace
}  // namespace foretrain::testing
