#include "exec/launch/this_program.h"

#include "exec/system/process.h"
#include "exec/system/this_processor.h"
#include "exec/transport/build_name.h"

#include <unistd.h>

#include <array>
#include <ctime>
#include <fstream>

namespace foretrain::exec {
namespace {

std::string date_now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc)};
}

}  // namespace

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

// Each word ends with a zero byte.
std::vector<std::string> words_of_command() {
  std::vector<std::string> words;
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

Provenance this_program() {
  return {build_name(), date_now(), host_name(), words_of_command(), this_processor().name};
}

pid_t start_this_program(std::vector<std::string> words) {
  words.insert(words.begin(), "/proc/self/exe");
  return start_process(words, {});
}

void end_program(pid_t process) {
  constexpr Duration kGrace{10'000'000'000};  // its nodes have five seconds
  end_processes({process}, kGrace);
}

}  // namespace foretrain::exec
