#include "tests/exec/emulation/support.h"

#include "exec/emulation/emulation.h"
#include "exec/launch/run.h"
#include "scenarios/language/input_error.h"
#include "tests/support/cases.h"
#include "tests/support/real_run.h"

#include <catch2/catch.hpp>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

namespace foretrain::testing {
namespace fs = std::filesystem;

namespace {

bool is_kept(const std::set<std::string>& networks) {
  std::error_code gone;
  for (const auto& process : fs::directory_iterator("/proc")) {
    const std::string name = process.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (networks.contains(network_of(std::stoi(name)))) return true;
    for (fs::directory_iterator file(process.path() / "fd", gone), end; !gone && file != end;
         file.increment(gone)) {
      const std::string target = fs::read_symlink(file->path(), gone);
      if (networks.contains(target)) return true;
    }
  }
  std::ifstream mounts("/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    for (const std::string& network : networks) {
      if (line.find(network) != std::string::npos) return true;
    }
  }
  return false;
}

}  // namespace

bool can_emulate() {
  ClusterSpec cluster;
  cluster.hosts.resize(1);
  cluster.hosts[0].name = "node";
  try {
    const exec::Emulation emulation(cluster);
    return true;
  } catch (const InputError& error) {
    WARN("skipped: " << error.what());
    return false;
  }
}

Case emulated_case(const std::string& strategy, int workers, std::int64_t steps) {
  Case result = small_case(strategy, workers, steps);
  HostSpec host;
  host.name = "node";
  host.count = workers + 1;
  host.nic = {1.25e8};
  result.scenario.cluster.hosts = {host};
  return result;
}

Record run_emulated(const Case& scenario_case) {
  exec::RunOptions options;
  options.emulate = true;
  return real_run(scenario_case, options);
}

std::string network_of(pid_t process) {
  std::error_code gone;
  return fs::read_symlink(fs::path("/proc") / std::to_string(process) / "ns" / "net", gone);
}

bool still_kept(const std::set<std::string>& networks) {
  for (int i = 0; i < 500 && is_kept(networks); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return is_kept(networks);
}

}  // namespace foretrain::testing
