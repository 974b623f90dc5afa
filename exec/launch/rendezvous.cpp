#include "exec/launch/rendezvous.h"

#include "exec/launch/key_file.h"
#include "exec/system/cache_folder.h"
#include "scenarios/input_error.h"
#include "scenarios/node_counts.h"
#include "scenarios/units.h"

#include <boost/asio/io_context.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>
#include <optional>
#include <thread>
#include <tuple>
#include <vector>

namespace foretrain::exec {
using boost::asio::ip::tcp;
using Clock = std::chrono::steady_clock;

namespace {

// Of several addresses every task takes the same; loopback is the last choice, since Debian calls a
// host 127.0.1.1 at home.
std::optional<tcp::endpoint> resolve(const std::string& name, int port) {
  boost::asio::io_context loop;
  boost::system::error_code error;
  const auto found = tcp::resolver(loop).resolve(name, fmt::format("{}", port), error);
  std::vector<tcp::endpoint> all;
  if (!error)
    std::ranges::transform(found, std::back_inserter(all),
                           [](const auto& each) { return each.endpoint(); });
  std::ranges::stable_sort(all, {}, [](const tcp::endpoint& each) {
    return std::tuple(each.address().is_loopback(), each.address().is_v6(), each.address());
  });
  return all.empty() ? std::nullopt : std::optional(all.front());
}

bool is_address(const std::string& name) {
  boost::system::error_code error;
  boost::asio::ip::make_address(name, error);
  return !error;
}

}  // namespace

void check_size(const std::vector<Case>& cases, const Task& task) {
  for (const Case& each : cases) {
    const NodeCounts counts = node_counts(each.scenario);
    if (counts.nodes() == task.size) continue;
    throw InputError(fmt::format(
        "{}: {} nodes (workers: {}, servers: {}), but started were {} tasks: start {}{}, one for "
        "each node, or none (no srun, no mpirun, no WORLD_SIZE) to train on this machine alone",
        each.label(), counts.nodes(), counts.workers, counts.servers, task.size, counts.nodes(),
        cases.size() > 1 ? " for every case of the sweep" : ""));
  }
}

std::optional<Duration> read_join_limit(const Environment& environment) {
  const auto text = environment("FORETRAIN_JOIN_LIMIT");
  if (!text) return {};
  try {
    return parse_duration(*text);
  } catch (const BadValue& error) {
    throw InputError(
        fmt::format("FORETRAIN_JOIN_LIMIT: {}; it is how long tasks wait for each other: write "
                    "`90 s`, say",
                    error.what()));
  }
}

tcp::endpoint meeting_point(const Task& task, const JobKey& key, Duration limit) {
  const auto deadline = Clock::now() + std::chrono::nanoseconds(limit.ns);
  while (true) {
    for (const std::string& name : task.addresses) {
      const auto found = resolve(name, task.port);
      if (!found) continue;
      const bool loopback = found->address().is_loopback();
      if (loopback && task.elsewhere && !is_address(name) && task.rank == 0) {
        throw InputError(fmt::format(
            "{} is {} here, which other machines cannot reach: set MASTER_ADDR, the same in every "
            "task, to the address of this machine on the network",
            name, found->address().to_string()));
      }
      if (!loopback && key.empty()) {
        throw InputError(fmt::format(
            "rank 0 is at {}, where others than this run can connect, so a job key is needed; {}",
            found->address().to_string(), kMakeKey));
      }
      return *found;
    }
    if (Clock::now() > deadline) {
      throw InputError(
          fmt::format("no address is known for {} after {}: set MASTER_ADDR, the same in every "
                      "task, to the name or the address of the machine of rank 0",
                      fmt::join(task.addresses, ", "), to_text(limit)));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
  }
}

Meeting arrange(const RunOptions& options) {
  Meeting meeting;
  JobKey& key = meeting.known.key;
  key = read_job_key(options.job_key, process_environment);
  meeting.place = meeting_point(*options.task, key, options.join_timeout);
  if (key.empty()) key = read_user_key(cache_folder());
  meeting.known.tls = make_tls(options.tls, key);
  return meeting;
}

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

}  // namespace foretrain::exec
