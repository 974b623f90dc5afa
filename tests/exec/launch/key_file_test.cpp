// Sources of a job key.
#include "exec/launch/key_file.h"

#include "scenarios/language/input_error.h"

#include <catch2/catch.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

namespace foretrain::exec {
namespace {
namespace fs = std::filesystem;

std::string complaint(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::optional<std::string> nothing(const char* /*name*/) { return {}; }

TEST_CASE("job key: a file that is named comes before the variables") {
  const fs::path file = fs::temp_directory_path() / ("job-key-" + std::to_string(getpid()));
  const auto variables = [&](const char* name) -> std::optional<std::string> {
    if (name == std::string("FORETRAIN_JOB_KEY")) return "the-one-in-the-variable";
    return {};
  };
  std::ofstream(file) << "the-one-in-the-file\n";
  CHECK(read_job_key(file, variables).secret() == "the-one-in-the-file");
  CHECK(read_job_key("", variables).secret() == "the-one-in-the-variable");
  CHECK(read_job_key("", [&](const char* name) -> std::optional<std::string> {
          return name == std::string("FORETRAIN_JOB_KEY_FILE") ? std::optional(file.string())
                                                               : variables(name);
        }).secret() == "the-one-in-the-file");
  CHECK(read_job_key("", nothing).empty());
  fs::remove(file);
}

TEST_CASE("job key: one that is missing or short or no text says how to make one") {
  const auto with = [](const std::string& value) {
    return complaint([&] {
      read_job_key("", [&](const char* name) {
        return name == std::string("FORETRAIN_JOB_KEY") ? std::optional(value) : std::nullopt;
      });
    });
  };
  for (const std::string& why : {with("short"), with("   "), with("sixteen\x01characters"),
                                 complaint([] { read_job_key("/no/such/file", nothing); })}) {
    CHECK(says(why, "openssl rand -hex 32 > job.key"));
  }
  CHECK(with("0123456789abcdef") == "none");
}

TEST_CASE("job key: on loopback the first of a user's tasks draws one and the others find it") {
  const fs::path folder = fs::temp_directory_path() / ("user-key-" + std::to_string(getpid()));
  fs::remove_all(folder);
  const JobKey first = read_user_key(folder);
  CHECK(first.secret().size() == 64);
  CHECK(read_user_key(folder).secret() == first.secret());
  CHECK(std::distance(fs::directory_iterator(folder), {}) == 1);
  struct stat status {};
  REQUIRE(stat((folder / "loopback.key").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777U) == 0600);
  chmod((folder / "loopback.key").c_str(), 0644);
  CHECK(says(complaint([&] { read_user_key(folder); }), "other users can change it"));
  fs::remove_all(folder);
}

TEST_CASE("job key: where nothing can be kept there is none") {
  CHECK(read_user_key("/proc/no/such/folder").empty());
}

}  // namespace
}  // namespace foretrain::exec
