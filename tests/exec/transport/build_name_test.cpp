// The name of a build from committed, modified, or unversioned sources.
#include "exec/transport/build_name.h"

#include "tests/support/places.h"
#include "tests/support/temp_folder.h"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace foretrain::exec {
namespace {
namespace fs = std::filesystem;

bool done(const std::string& command) { return std::system(command.c_str()) == 0; }

void write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

// A small source tree, under version control if this machine has git.
struct Sources {
  TempFolder folder;

  Sources() {
    write(root() / "CMakeLists.txt", "project(foretrain)\n");
    write(root() / "main.cpp", "int main() {}\n");
    write(root() / "exec/a.cpp", "int a;\n");
    write(root() / "tests/a_test.cpp", "int test;\n");
    write(root() / "README.md", "words\n");
  }
  [[nodiscard]] fs::path root() const { return fs::path(folder.path()) / "tree"; }
  [[nodiscard]] bool git(const std::string& words) const {
    return done("git -c safe.directory='*' -c user.name=a -c user.email=a@localhost -C '" +
                root().string() + "' " + words + " >/dev/null 2>&1");
  }
  [[nodiscard]] bool commit() const { return git("init") && git("add -A") && git("commit -m one"); }
  // The build's name for them.
  [[nodiscard]] std::string name() const { return written("kCommit"); }
  // The name of the measured part of them for calibrations, with these build settings.
  [[nodiscard]] std::string measured(const std::string& how = "GNU 12.2.0 Release") const {
    return written("kMeasured", how);
  }

 private:
  [[nodiscard]] std::string written(const std::string& constant,
                                    const std::string& how = {}) const {
    const std::string out = folder / "commit.cpp";
    REQUIRE(done("cmake -DROOT='" + root().string() + "' -DOUT='" + out +
                 "' -DVERSION=1.2.3 -DHOW='" + how + "' -P '" + foretrain::source_dir() +
                 "/exec/transport/commit.cmake'"));
    std::ifstream file(out);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    CHECK(text.find("kVersion = \"1.2.3\"") != std::string::npos);
    const std::string before = constant + " = \"";
    const auto at = text.find(before) + before.size();
    return text.substr(at, text.find('"', at) - at);
  }
};

TEST_CASE("build name: it says the version, the commit, the wire") {
  const std::string name = build_name();
  CAPTURE(name);
  CHECK(name.find(std::string(kVersion) + " (" + kCommit + ", wire ") == 0);
  CHECK(name.size() <= 96);  // fits into a handshake
}

TEST_CASE("build name: sources without their history are known by what they are") {
  const Sources one;
  const Sources same;
  CHECK(one.name().find("sources.") == 0);
  CHECK(one.name() == same.name());
  write(same.root() / "exec/a.cpp", "int b;\n");
  CHECK(one.name() != same.name());
}

TEST_CASE("build name: a commit is its hash, changes of the sources are told apart") {
  const Sources one;
  if (!one.commit()) {
    WARN("without git there is no history to name");
    return;
  }
  const std::string clean = one.name();
  CHECK(clean.size() == 12);
  CHECK(clean.find_first_not_of("0123456789abcdef") == std::string::npos);

  SECTION("words and tests are no part of the program") {
    write(one.root() / "README.md", "other words\n");
    write(one.root() / "tests/a_test.cpp", "int other;\n");
    CHECK(one.name() == clean);
  }
  SECTION("the same changes have the same name, others have not") {
    write(one.root() / "exec/a.cpp", "int b;\n");
    const std::string changed = one.name();
    CHECK(changed.find(clean + "-dirty.") == 0);
    write(one.root() / "exec/a.cpp", "int c;\n");
    CHECK(one.name() != changed);
    write(one.root() / "exec/a.cpp", "int b;\n");
    CHECK(one.name() == changed);
    write(one.root() / "exec/a.cpp", "int a;\n");
    CHECK(one.name() == clean);
  }
  SECTION("a new source, or one that is gone, is a change") {
    write(one.root() / "exec/new.cpp", "int n;\n");
    const std::string more = one.name();
    CHECK(more.find(clean + "-dirty.") == 0);
    fs::remove(one.root() / "exec/new.cpp");
    fs::remove(one.root() / "exec/a.cpp");
    CHECK(one.name().find(clean + "-dirty.") == 0);
    CHECK(one.name() != more);
  }
}

TEST_CASE("build name: a calibration is of what it measures, not of the rest of the program") {
  const Sources one;
  write(one.root() / "models/layers/dense.cpp", "int dense;\n");
  write(one.root() / "exec/calibration/memory.cpp", "int memory;\n");
  const std::string before = one.measured();
  CHECK(before.size() == 12);
  write(one.root() / "main.cpp", "int main() { return 1; }\n");
  write(one.root() / "reports/page.cpp", "int page;\n");
  write(one.root() / "sim/engine.cpp", "int engine;\n");
  CHECK(one.measured() == before);
  CHECK(one.measured("GNU 12.2.0 Debug") != before);
  write(one.root() / "models/layers/dense.cpp", "int faster;\n");
  const std::string faster = one.measured();
  CHECK(faster != before);
  write(one.root() / "exec/calibration/memory.cpp", "int other;\n");
  CHECK(one.measured() != faster);
}

}  // namespace
}  // namespace foretrain::exec
