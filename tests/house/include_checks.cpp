// The rules on includes.
#include "tests/house/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>

namespace foretrain::house {
namespace {

/// A floor with the floors that it may include. reports/ has six floors, one per room.
struct Floor {
  std::string_view name;
  std::string_view below;
};

constexpr auto kFloors = std::to_array<Floor>({
    {"models", ""},
    {"scenarios", "models"},
    {"reports/record", "models scenarios"},
    {"reports/web", "models scenarios"},
    {"reports/studies", "models scenarios reports/record"},
    {"reports/show", "models scenarios reports/record reports/studies"},
    {"reports/serve", "models scenarios reports/record reports/web reports/studies reports/show"},
    {"reports/cli", "models scenarios reports/record reports/studies reports/show"},
    {"sim", "models scenarios reports/record reports/studies"},
    {"exec", "models scenarios reports/record reports/web"},
    {"main.cpp",
     "models scenarios reports/record reports/web reports/studies reports/show reports/serve "
     "reports/cli sim "
     "exec"},
    {"tests",
     "models scenarios reports/record reports/web reports/studies reports/show reports/serve "
     "reports/cli sim "
     "exec"},
});

/// The floor of `path`, or null.
const Floor* floor_of(std::string_view path) {
  const auto on = [&](const Floor& floor) {
    return path == floor.name ||
           (path.starts_with(floor.name) && path.substr(floor.name.size()).starts_with('/'));
  };
  const auto* const found = std::ranges::find_if(kFloors, on);
  return found == kFloors.end() ? nullptr : found;
}

bool may_include(const Floor& from, const Floor& to) {
  std::istringstream below{std::string(from.below)};
  for (std::string name; below >> name;) {
    if (name == to.name) return true;
  }
  return from.name == to.name;
}

/// Headers by topic; a name that ends with `*` stands for all names with this prefix.
struct Outside {
  std::string_view what;
  std::string_view headers;
};

constexpr auto kOutside = std::to_array<Outside>({
    {"thread",
     "thread mutex shared_mutex condition_variable future stop_token semaphore latch barrier "
     "execution pthread.h threads.h semaphore.h sched.h omp.h tbb/* boost/thread* boost/fiber*"},
    {"clock", "chrono ctime time.h sys/time* boost/chrono* boost/date_time* boost/timer*"},
    {"socket",
     "sys/socket.h sys/un.h sys/uio.h sys/epoll.h sys/eventfd.h sys/select.h sys/ioctl.h poll.h "
     "netdb.h netinet/* arpa/* net/* asio* boost/asio* boost/beast*"},
    {"process",
     "unistd.h fcntl.h csignal signal.h sys/wait.h sys/mman.h sys/resource.h boost/process* "
     "boost/interprocess*"},
    {"random device", "random boost/random*"},
});

/// The topic of `include` that models must not use; empty if there is none.
std::string_view outside_of(std::string_view file, const Include& include) {
  if (include.quoted) return {};
  for (const Outside& outside : kOutside) {
    std::istringstream headers{std::string(outside.headers)};
    for (std::string header; headers >> header;) {
      if (matches(include.path, header)) return outside.what;
    }
  }
  const bool reads_files = file.starts_with("models/data/");
  return include.path == "filesystem" && !reads_files ? "file outside models/data" : "";
}

using Tree = std::map<std::string, std::vector<Include>, std::less<>>;

/// The forbidden topic that `include` of `file` leads to, with the path of includes.
std::optional<std::string> way_outside(const Tree& tree, const std::string& file,
                                       const Include& include, std::set<std::string>& seen) {
  if (const auto what = outside_of(file, include); !what.empty()) {
    return fmt::format("<{}>: models knows no {}", include.path, what);
  }
  if (!include.quoted || !seen.insert(include.path).second) return std::nullopt;
  const auto next = tree.find(include.path);
  if (next == tree.end()) return std::nullopt;
  for (const Include& further : next->second) {
    if (auto found = way_outside(tree, include.path, further, seen)) {
      return fmt::format("\"{}\" -> {}", include.path, *found);
    }
  }
  return std::nullopt;
}

}  // namespace

std::string describe(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& f : findings) text += fmt::format("{}:{}: {}\n", f.file, f.line, f.what);
  return text;
}

std::vector<Finding> layer_findings(const std::vector<SourceFile>& tree) {
  std::set<std::string> paths;
  for (const SourceFile& file : tree) paths.insert(file.path);
  std::vector<Finding> findings;
  for (const SourceFile& file : tree) {
    const Floor* const floor = floor_of(file.path);
    if (floor == nullptr)
      findings.push_back({file.path, 1, "is in no folder that the layers know"});
    for (const Include& include : includes_of(file.text)) {
      const auto say = [&](std::string what) {
        findings.push_back({file.path, include.line, std::move(what)});
      };
      const bool ours = paths.contains(include.path);
      if (include.quoted && !ours) {
        say(fmt::format("\"{}\" is no file of ours, as called from the root", include.path));
      } else if (!include.quoted && ours) {
        say(fmt::format("<{}> is ours: quotes", include.path));
      }
      const Floor* const other = ours ? floor_of(include.path) : nullptr;
      if (floor != nullptr && other != nullptr && !may_include(*floor, *other)) {
        say(fmt::format("{} may not include {}", floor->name, other->name));
      }
    }
  }
  return findings;
}

std::vector<Finding> purity_findings(const std::vector<SourceFile>& tree) {
  Tree includes;
  for (const SourceFile& file : tree) includes.emplace(file.path, includes_of(file.text));
  std::vector<Finding> findings;
  for (const auto& [path, list] : includes) {
    if (top_of(path) != "models") continue;
    for (const Include& include : list) {
      // Files of models are checked by themselves, so only includes that leave the folder are
      // followed.
      if (include.quoted && top_of(include.path) == "models") continue;
      std::set<std::string> seen{path};
      if (const auto found = way_outside(includes, path, include, seen)) {
        findings.push_back({path, include.line, *found});
      }
    }
  }
  return findings;
}

std::vector<Finding> word_findings(const SourceFile& file) {
  static const std::set<std::string, std::less<>> draws = {
      "std::shuffle",       "std::ranges::shuffle", "std::sample",    "std::ranges::sample",
      "std::random_device", "std::mt19937",         "std::mt19937_64"};
  static const std::set<std::string, std::less<>> draw_calls = {"rand", "std::rand", "srand",
                                                                "std::srand", "drand48"};
  static const std::set<std::string, std::less<>> world = {
      "std::thread", "std::jthread", "std::mutex", "std::async", "std::time", "std::clock"};
  static const std::set<std::string, std::less<>> world_calls = {"clock_gettime", "gettimeofday",
                                                                 "socket", "fork", "getpid"};
  // Policies that both drivers need: they use place_of, GradientTimes, StandingStill instead.
  static const std::set<std::string, std::less<>> policies = {"runs_inline", "nominal_seconds",
                                                              "kInlineJob", "PauseDraws"};
  std::vector<Finding> findings;
  const std::string folder = top_of(file.path);
  if (folder == "tests") return findings;
  for (const Word& word : words_of(code_only(file.text))) {
    const bool distribution =
        word.name.starts_with("std::") && word.name.ends_with("_distribution");
    if (distribution || draws.contains(word.name) ||
        (word.called && draw_calls.contains(word.name))) {
      findings.push_back(
          {file.path, word.line, word.name + " differs between machines: draw from a Stream"});
    }
    if ((folder == "sim" || folder == "exec") && policies.contains(word.name)) {
      findings.push_back({file.path, word.line, word.name + ": drivers decide that alike, below"});
    }
    if (folder == "models" && (world.contains(word.name) || word.name.starts_with("std::chrono") ||
                               (word.called && world_calls.contains(word.name)))) {
      findings.push_back(
          {file.path, word.line, word.name + ": models knows no socket, thread or clock"});
    }
  }
  return findings;
}

}  // namespace foretrain::house
