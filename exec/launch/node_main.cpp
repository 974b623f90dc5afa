// The command `node`, with which a launcher starts a node.
#include "exec/launch/control.h"
#include "exec/launch/kernel_program.h"
#include "exec/launch/node_process.h"
#include "exec/launch/run.h"
#include "exec/launch/this_program.h"
#include "exec/launch/tls_choice.h"
#include "exec/system/process.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <fmt/format.h>

#include <malloc.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

namespace foretrain::exec {
namespace {

// A step reuses the memory that the one before has freed. If it were returned to the kernel, every
// page would have to be faulted in again: a quarter of the time of an all-reduce of 25 MB.
void keep_freed_memory() {
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // maximum in glibc
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
}

// Source of the key for a node on another host: the first line of standard input, or the
// environment if the node has begun again.
constexpr const char* kKeyOption = "--key";
constexpr const char* kKeyOnInput = "stdin";
constexpr const char* kKeyInEnvironment = "environment";

// Prepares a node that ssh has started on another host. False if the launcher is gone already.
bool came_over_ssh(JoinSettings& joining, const std::string& key, const std::string& folder) {
  if (key == kKeyOnInput) {
    std::string secret;
    if (!std::getline(std::cin, secret)) return false;
    joining.known.key = JobKey(std::move(secret));
  }
  end_with_standard_input();
  std::error_code not_there;  // a missing file is reported later
  std::filesystem::current_path(folder, not_there);
  return true;
}

// Becomes another program; all that the node has opened is closed by now. Other users cannot read
// the environment of a process, which has the key.
[[noreturn]] void begin_node_again(const std::string& kernels, const JobKey& key) {
  std::vector<std::string> words = words_of_command();
  const auto named = std::ranges::find(words, kKeyOption);
  if (named != words.end() && std::next(named) != words.end()) {
    *std::next(named) = kKeyInEnvironment;
  }
  begin_again_with(kernels, words, {fmt::format("{}={}", kKeyVariable, key.secret())});
}

NodeEnded node_of(const JoinSettings& joining) {
  std::signal(SIGPIPE, SIG_IGN);
  allow_descriptors(0);
  keep_freed_memory();
  boost::asio::io_context loop(1);
  return NodeProcess(loop, joining).run();
}

}  // namespace

// Returns freed memory between trainings. A node that has to begin again with other kernels returns
// and joins with these.
NodeEnded node_until_told(const JoinSettings& joining) {
  NodeEnded ended = node_of(joining);
  while (ended.again && ended.kernels.empty()) {
    malloc_trim(0);
    ended = node_of(joining);
  }
  return ended;
}

// The launcher is the only caller, so invalid arguments are not explained.
int node_main(std::span<const char* const> arguments) {
  std::map<std::string, std::string> given;
  for (std::size_t i = 0; i + 1 < arguments.size(); i += 2) given[arguments[i]] = arguments[i + 1];
  JoinSettings joining;
  joining.launcher = {boost::asio::ip::make_address(given.at("--address")),
                      static_cast<std::uint16_t>(std::stoi(given.at("--port")))};
  joining.id = NodeId(static_cast<std::uint32_t>(std::stoi(given.at("--id"))));
  if (const auto key = process_environment(kKeyVariable)) joining.known.key = JobKey(*key);
  if (given.contains(kKeyOption) &&
      !came_over_ssh(joining, given.at(kKeyOption), given.at("--folder"))) {
    return 1;
  }
  const TlsChoice tls = tls_of_arguments([&](const char* name) {
    const auto found = given.find(name);
    return found == given.end() ? std::nullopt : std::optional(found->second);
  });
  joining.known.tls = make_tls(tls, joining.known.key);
  const NodeEnded ended = node_until_told(joining);
  if (!ended.kernels.empty()) begin_node_again(ended.kernels, joining.known.key);
  return ended.status;
}

}  // namespace foretrain::exec
