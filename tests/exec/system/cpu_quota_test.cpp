// CPU quotas of control groups, in a made-up file tree.
#include "exec/system/process.h"
#include "tests/support/temp_folder.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <string>

namespace foretrain::exec {
namespace {
namespace fs = std::filesystem;

class FakeRoot {
 public:
  explicit FakeRoot(const std::string& groups) { write("proc/self/cgroup", groups); }
  void write(const std::string& path, const std::string& text) const {
    fs::create_directories((root() / path).parent_path());
    std::ofstream(root() / path) << text << "\n";
  }
  [[nodiscard]] fs::path root() const { return folder_.path(); }
  [[nodiscard]] std::optional<double> quota() const { return cpu_quota(root()); }

 private:
  TempFolder folder_;
};

TEST_CASE("cpu quota: without control groups, and of one without a bound, there is none") {
  CHECK_FALSE(cpu_quota("/no/such/root").has_value());
  const FakeRoot root("0::/");
  CHECK_FALSE(root.quota().has_value());
  root.write("sys/fs/cgroup/cpu.max", "max 100000");
  CHECK_FALSE(root.quota().has_value());
}

TEST_CASE("cpu quota: cpu.max of a container, the least of a group and those above it") {
  const FakeRoot container("0::/");
  container.write("sys/fs/cgroup/cpu.max", "150000 100000");
  CHECK(container.quota().value() == 1.5);
  const FakeRoot slice("0::/user.slice/job");
  slice.write("sys/fs/cgroup/user.slice/job/cpu.max", "max 100000");
  slice.write("sys/fs/cgroup/user.slice/cpu.max", "200000 50000");
  CHECK(slice.quota().value() == 4);
  slice.write("sys/fs/cgroup/user.slice/job/cpu.max", "20000 10000");
  CHECK(slice.quota().value() == 2);
}

TEST_CASE("cpu quota: of cgroup v1 it is the group of the controller cpu") {
  const FakeRoot root("9:cpuset:/\n4:cpu,cpuacct:/docker/1f\n1:name=systemd:/");
  root.write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1");
  root.write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000");
  CHECK_FALSE(root.quota().has_value());
  // The container mounts only its own group, so /docker/1f does not exist.
  root.write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "250000");
  CHECK(root.quota().value() == 2.5);
}

}  // namespace
}  // namespace foretrain::exec
