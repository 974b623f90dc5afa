// `run --hosts` with a script in place of ssh: hosts are this machine under other names.
#include "models/data/digits.h"
#include "tests/cli/background_run.h"
#include "tests/cli/sandbox.h"
#include "tests/cli/told.h"
#include "tests/support/idx_files.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <sys/types.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <regex>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace foretrain {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using testing::BackgroundRun;
using testing::Called;
using testing::Sandbox;
using testing::text_of;
using testing::wait_until;
using testing::weights_of;

// The script skips options and treats the command by the host's name; the login starts in the root
// folder. It marks its processes by SSH_OF, so that a test finds those that it started. Hosts named
// own-* mount a folder over `out`; other hosts see it under the host's name.
constexpr const char* kStandIn = R"sh(#!/bin/sh
folder=$(cd "$(dirname "$0")" && pwd)
echo "$*" >>"$folder/words.txt"
while true; do
  case $1 in
    -o | -p) shift 2 ;;
    -*) shift ;;
    *) break ;;
  esac
done
host=$1
shift
export SSH_OF="$folder"
cd /
case $host in
  unknown)
    echo "ssh: Could not resolve hostname unknown: Name or service not known" >&2
    exit 255
    ;;
  bare) exec sh -c "/no/such/foretrain node" ;;
  older) exec sh -c "$(printf '%s' "$*" | sed "s|^'[^']*'|'$folder/older-build'|")" ;;
  own-*)
    mkdir -p "$folder/out" "$folder/$host"
    exec unshare -m sh -c 'mount --bind "$1" "$2" && exec sh -c "$3"' own "$folder/$host" "$folder/out" "$*"
    ;;
  deaf)
    sh -c "$*"
    exit $?
    ;;
esac
exec sh -c "$*"
)sh";

/// A sandbox with a stand-in for ssh.
class SshSandbox : public Sandbox {
 public:
  SshSandbox() {
    write("ssh", kStandIn);
    fs::permissions(path("ssh"), fs::perms::owner_all);
  }

  Called call_hosts(const std::string& hosts, const std::string& more = "",
                    const std::string& before = "true") {
    return call("run small.yaml --quiet --json --out out --force --ssh './ssh -p 2222' --hosts=" +
                    hosts + " " + more,
                before);
  }
  /// Whether hosts can have separate folders, which needs root.
  bool gives_folders() {
    return call("--version", "unshare -m mount --bind . . 2>mount.txt").status == 0;
  }
  /// The steps for which `folder` has a checkpoint file with this name, newest first.
  [[nodiscard]] std::vector<int> kept_steps(const std::string& folder,
                                            const std::string& file) const {
    std::vector<int> steps;
    for (const int step : {3'000, 2'500, 2'000, 1'500, 1'000, 500}) {
      if (fs::exists(kept_file(folder, step, file))) steps.push_back(step);
    }
    return steps;
  }
  [[nodiscard]] fs::path kept_file(const std::string& folder, int step,
                                   const std::string& file) const {
    return path(folder) / "checkpoints" / ("step-" + std::to_string(step)) / file;
  }
  /// The node processes that stand-ins of this sandbox have started.
  [[nodiscard]] std::vector<pid_t> remote_nodes(const std::string& id = "") const {
    const std::string mark = "SSH_OF=" + fs::canonical(path("ssh")).parent_path().string();
    const std::string number = std::string("--id") + '\0' + id + '\0';
    std::vector<pid_t> found;
    for (const auto& entry : fs::directory_iterator("/proc")) {
      const std::string name = entry.path().filename();
      if (name.find_first_not_of("0123456789") != std::string::npos) continue;
      std::error_code gone;
      if (fs::read_symlink(entry.path() / "exe", gone) != program_path()) continue;
      if (text_of(entry.path() / "environ").find(mark + '\0') == std::string::npos) continue;
      if (!id.empty() && text_of(entry.path() / "cmdline").find(number) == std::string::npos) {
        continue;
      }
      found.push_back(std::stoi(name));
    }
    return found;
  }
  /// They notice the end of their launcher by their connection.
  void wait_until_remote_nodes_end() const {
    wait_until([&] { return remote_nodes().empty(); });
  }
};

std::string failure_of(SshSandbox& sandbox, const std::string& hosts) {
  const Called called = sandbox.call_hosts(hosts, "--address 127.0.0.1");
  CAPTURE(hosts, called.err);
  REQUIRE(called.status == 1);
  return nlohmann::json::parse(called.out).at("failure");
}

std::string weights_on(SshSandbox& sandbox, const std::string& hosts, const std::string& more) {
  CAPTURE(hosts, more);
  return weights_of(sandbox.call_hosts(hosts, more));
}

/// A training of three nodes that would take hours, after its first steps.
class RemoteRun {
 public:
  RemoteRun(SshSandbox& sandbox, const std::string& hosts, const std::string& strategy,
            std::vector<std::string> more = {})
      : sandbox_(sandbox),
        run_(sandbox, {"training.steps=100000000", "training.strategy=" + strategy},
             words(sandbox, hosts, std::move(more))) {
    constexpr std::uintmax_t kSomeSteps = 20'000;  // bytes
    run_.wait_for_steps(kSomeSteps);
  }
  BackgroundRun& run() { return run_; }
  void wait_until_nodes_are(std::size_t count) {
    wait_until([&] { return sandbox_.remote_nodes().size() == count; });
  }

 private:
  static std::vector<std::string> words(const SshSandbox& sandbox, const std::string& hosts,
                                        std::vector<std::string> more) {
    more.insert(more.end(), {"--hosts", hosts, "--ssh", sandbox.path("ssh").string(), "--address",
                             "127.0.0.1"});
    return more;
  }

  SshSandbox& sandbox_;
  BackgroundRun run_;
};

TEST_CASE("hosts: a run over ssh ends with the weights of one on this machine, record and all") {
  SshSandbox sandbox;
  const std::string weights = weights_of(sandbox.call("run small.yaml --quiet --json --out plain"));
  CHECK(weights_on(sandbox, "a,b:2", "--address 127.0.0.1") == weights);
  CHECK_THAT(text_of(sandbox.path("out/run.json")), Contains("\"hosts a, b over ssh\""));
  CHECK(weights_on(sandbox, "a,b,c", "--address 127.0.0.1 --tls") == weights);
  CHECK_THAT(text_of(sandbox.path("out/run.json")), Contains("\"hosts a, b, c over ssh, TLS\""));
  CHECK(weights_on(sandbox, "localhost,127.0.0.2:2", "") == weights);
  sandbox.wait_until_remote_nodes_end();
}

TEST_CASE("hosts: what others can read on a command line holds no key, and ssh may not ask") {
  SshSandbox sandbox;
  weights_on(sandbox, "a,b:2", "--address 127.0.0.1");
  const std::string words = text_of(sandbox.path("words.txt"));
  CHECK(testing::how_often(words, "BatchMode=yes") == 3);
  CHECK(testing::how_often(words, "-p 2222") == 3);
  CHECK_THAT(words, Contains(" a '" + std::string(program_path()) + "' 'node' "));
  CHECK(!std::regex_search(words, std::regex("[0-9a-f]{32}")));
}

TEST_CASE("hosts: relative paths of a scenario are of the same folder on every host") {
  SshSandbox sandbox;
  const ImageSplit digits = draw_digits(400, 2000, 1);
  std::filesystem::create_directory(sandbox.path("digits"));
  write_idx_folder(digits.train, digits.test, sandbox.path("digits"));
  weights_on(sandbox, "a,b:2",
             "--address 127.0.0.1 --set 'dataset={format: idx, path: digits, take: 300}'");
}

TEST_CASE("hosts: what keeps a host from its node is told with the host and with what to do") {
  SshSandbox sandbox;
  CHECK_THAT(failure_of(sandbox, "a,unknown,b"),
             StartsWith("worker1 on unknown was not started (ssh: Could not resolve hostname") &&
                 Contains("check that this works without a prompt: ./ssh -p 2222"));
  CHECK_THAT(text_of(sandbox.path("err.txt")),
             Contains("unknown: ssh: Could not resolve hostname unknown"));
  CHECK_THAT(
      failure_of(sandbox, "a,b,bare"),
      StartsWith("server0 on bare was not started (") &&
          Contains("install this build on that host, too, as " + std::string(program_path())));
  sandbox.wait_until_remote_nodes_end();
}

TEST_CASE("hosts: another build on a host is named with both builds") {
  SshSandbox sandbox;
  const std::string version = sandbox.call("--version").out;  // foretrain 0.1.0 (COMMIT, wire 2)
  const std::size_t begin = version.find('(') + 1;
  const std::string commit = version.substr(begin, version.find(',') - begin);
  REQUIRE(commit.size() > 8);
  std::string other = commit;
  other.front() = 'z';
  std::string program = text_of(program_path());
  std::size_t changed = 0;
  for (auto at = program.find(commit); at != std::string::npos; at = program.find(commit, at)) {
    program.replace(at, other.size(), other);
    ++changed;
  }
  REQUIRE(changed > 0);
  sandbox.write("older-build", program);
  fs::permissions(sandbox.path("older-build"), fs::perms::owner_all);
  CHECK_THAT(failure_of(sandbox, "older,a,b"),
             StartsWith("worker0 on older: it is another build, ") && Contains(other) &&
                 Contains("build foretrain of the same commit on every host"));
}

TEST_CASE("hosts: what makes no sense is refused before anything is started") {
  SshSandbox sandbox;
  const auto refused = [&](const std::string& hosts, const std::string& more,
                           const std::string& before = "true") {
    const Called called = sandbox.call_hosts(hosts, more, before);
    CAPTURE(hosts, more, called.err);
    CHECK(called.status == 2);
    return called.err;
  };
  const std::string here = "--address 127.0.0.1 ";
  CHECK_THAT(refused("a,b", here), Contains("small: 3 nodes (workers: 2, servers: 1), but --hosts "
                                            "has 2: name a host for each"));
  CHECK_THAT(
      refused("a,b:2", here, "export RANK=1 WORLD_SIZE=3 MASTER_ADDR=127.0.0.1 MASTER_PORT=4711"),
      Contains("one of 3 tasks (RANK and WORLD_SIZE); leave --hosts out"));
  CHECK_THAT(refused("a,b:2", here + "--set training.strategy=async --set "
                                     "'faults=[{at: 1 s, kill: worker1}]'"),
             Contains("leave --hosts out"));
  CHECK_THAT(refused("no..where:3", ""), Contains("--address"));
  CHECK_THAT(refused("a,b:2", here + "--emulate"), Contains("excludes"));
  CHECK_THAT(refused("a,b:2", here + "--job-key job.key"), Contains("excludes"));
  CHECK(!sandbox.has("words.txt"));
  CHECK(sandbox.call("run small.yaml --address 127.0.0.1").status == 2);
}

TEST_CASE("hosts: a node that is killed on its host is named with that, and the rest is ended") {
  SshSandbox sandbox;
  RemoteRun training(sandbox, "a,b,deaf", "sync");
  const std::vector<pid_t> victim = sandbox.remote_nodes("1");
  REQUIRE(victim.size() == 1);
  kill(victim.front(), SIGKILL);
  CHECK(training.run().wait() == 1);
  CHECK_THAT(training.run().err(), Contains("worker1 on b"));
  training.wait_until_nodes_are(0);
  CHECK_THAT(text_of(sandbox.path("out/run.json")), Contains("worker1 on b"));
}

TEST_CASE("hosts: a signal ends a run over ssh, and a killed launcher leaves no process either") {
  SshSandbox sandbox;
  const int signal = GENERATE(SIGINT, SIGTERM, SIGKILL);
  CAPTURE(signal);
  RemoteRun training(sandbox, "a,deaf:2", "sync");
  training.wait_until_nodes_are(3);
  kill(training.run().launcher(), signal);
  CHECK(training.run().wait() == (signal == SIGKILL ? 128 + SIGKILL : 130));
  training.wait_until_nodes_are(0);
  if (signal != SIGKILL) {
    CHECK_THAT(text_of(sandbox.path("out/run.json")), Contains("interrupted"));
  }
}

TEST_CASE("hosts: a worker that the others go on without is started again on its host") {
  SshSandbox sandbox;
  RemoteRun training(sandbox, "a,b,c", "async", {"--max-restarts", "1"});
  const std::vector<pid_t> victim = sandbox.remote_nodes("1");
  REQUIRE(victim.size() == 1);
  kill(victim.front(), SIGKILL);
  wait_until([&] { return testing::how_often(training.run().err(), "worker1 on b is back") == 1; });
  training.wait_until_nodes_are(3);
  kill(training.run().launcher(), SIGINT);
  CHECK(training.run().wait() == 130);
  training.wait_until_nodes_are(0);
}

TEST_CASE("hosts: a server that all wait for is started again on its host, the others stay") {
  SshSandbox sandbox;
  RemoteRun training(sandbox, "a,b,c", "sync",
                     {"--max-restarts", "1", "--set", "training.rejoin_limit=30 s"});
  const std::vector<pid_t> worker = sandbox.remote_nodes("1");
  const std::vector<pid_t> victim = sandbox.remote_nodes("2");
  REQUIRE(victim.size() == 1);
  kill(victim.front(), SIGKILL);
  wait_until([&] {
    return testing::how_often(training.run().err(), "all nodes have joined again; ") == 1;
  });
  CHECK_THAT(training.run().err(), Contains("server0 on c") && Contains("the others wait for it"));
  CHECK(sandbox.remote_nodes("1") == worker);
  training.wait_until_nodes_are(3);
  kill(training.run().launcher(), SIGINT);
  CHECK(training.run().wait() == 130);
  training.wait_until_nodes_are(0);
}

// Parts that are being written at the end of a training may belong to no complete checkpoint.
void check_same_steps(const SshSandbox& sandbox, const std::vector<int>& whole) {
  REQUIRE(whole.size() == 3);
  for (const auto& [host, part] :
       {std::pair("own-a", "worker0.ckpt"), std::pair("own-b", "worker1.ckpt"),
        std::pair("own-c", "server0.ckpt")}) {
    CAPTURE(host);
    std::vector<int> kept = sandbox.kept_steps(host, part);
    std::erase_if(kept, [&](int step) { return step > whole.front(); });
    CHECK(kept == whole);
    CHECK(sandbox.kept_steps("out", part).empty());
  }
}

TEST_CASE("hosts: without a folder that all see each host keeps as many checkpoints, goes on") {
  SshSandbox sandbox;
  if (!sandbox.gives_folders()) {
    WARN("skipped: only root gives hosts folders of their own (unshare, mount)");
    return;
  }
  const std::string words =
      " --quiet --json --ssh './ssh -p 2222' --address 127.0.0.1 --hosts=own-a,own-b,own-c "
      "--set training.steps=3500 --set 'checkpoint={every: 500 steps, keep: 3}'";
  const std::string weights = weights_of(sandbox.call("run small.yaml --out out" + words));
  const std::vector<int> whole = sandbox.kept_steps("out", "manifest.json");
  check_same_steps(sandbox, whole);
  fs::resize_file(sandbox.kept_file("own-b", whole.front(), "worker1.ckpt"), 20);
  const Called resumed = sandbox.call("run small.yaml --resume out" + words);
  CHECK(weights_of(resumed) == weights);
  CHECK_THAT(resumed.err, Contains("checkpoint skipped: worker1 on own-b: ") &&
                              Contains("worker1.ckpt: has 20 bytes") &&
                              Contains("continues from step " + std::to_string(whole.at(1))));
  check_same_steps(sandbox, sandbox.kept_steps("out", "manifest.json"));
}

}  // namespace
}  // namespace foretrain
