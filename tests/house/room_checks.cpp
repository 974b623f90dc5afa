// The rule that includes between rooms have no circles.
#include "tests/house/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace foretrain::house {
namespace {

/// An include from one room to another; the first one found.
struct ScalingPoint {
  std::string file;
  int line = 0;
  std::string included;
};

using Ways = std::map<std::string, std::map<std::string, ScalingPoint>>;  // from room to room

/// The rooms of `from` and `to` in the innermost folder that contains both; empty if they share no
/// folder, are in the same room, or one lies beside the other's room.
std::pair<std::string, std::string> rooms_of(const std::string& from, const std::string& to) {
  std::size_t shared = 0;  // length of the common folder, including its slash
  for (std::size_t i = 0; i < std::min(from.size(), to.size()) && from[i] == to[i]; ++i) {
    if (from[i] == '/') shared = i + 1;
  }
  const std::size_t from_end = from.find('/', shared);
  const std::size_t to_end = to.find('/', shared);
  const bool rooms = shared > 0 && from_end != std::string::npos && to_end != std::string::npos;
  if (!rooms) return {};
  return {from.substr(0, from_end), to.substr(0, to_end)};
}

/// The rooms on a shortest path from `from` to `to`, both included; empty if there is none.
std::vector<std::string> way_between(const Ways& ways, const std::string& from,
                                     const std::string& to) {
  std::map<std::string, std::string> came_from{{from, ""}};
  std::deque<std::string> next{from};
  while (!next.empty() && !came_from.contains(to)) {
    const std::string room = next.front();
    next.pop_front();
    const auto found = ways.find(room);
    if (found == ways.end()) continue;
    for (const auto& [other, way] : found->second) {
      if (came_from.emplace(other, room).second) next.push_back(other);
    }
  }
  std::vector<std::string> rooms;
  if (!came_from.contains(to)) return rooms;
  for (std::string room = to; !room.empty(); room = came_from.at(room)) rooms.push_back(room);
  std::ranges::reverse(rooms);
  return rooms;
}

Ways ways_of(const std::vector<SourceFile>& tree) {
  std::set<std::string> paths;
  for (const SourceFile& file : tree) paths.insert(file.path);
  Ways ways;
  for (const SourceFile& file : tree) {
    for (const Include& include : includes_of(file.text)) {
      if (!include.quoted || !paths.contains(include.path)) continue;
      const auto [from, to] = rooms_of(file.path, include.path);
      if (!from.empty())
        ways[from].emplace(to, ScalingPoint{file.path, include.line, include.path});
    }
  }
  return ways;
}

/// `a -> b -> a`, each arrow with the including file.
std::string circle_text(const Ways& ways, const std::vector<std::string>& rooms) {
  std::string text = rooms.back();
  std::string_view before = rooms.back();
  for (const std::string& room : rooms) {
    const ScalingPoint& way = ways.at(std::string(before)).at(room);
    text += fmt::format(" -> {} ({} includes {})", room, way.file, way.included);
    before = room;
  }
  return text;
}

}  // namespace

std::vector<Finding> room_findings(const std::vector<SourceFile>& tree) {
  const Ways ways = ways_of(tree);
  std::vector<Finding> findings;
  for (const auto& [from, others] : ways) {
    for (const auto& [to, way] : others) {
      const std::vector<std::string> back = way_between(ways, to, from);
      if (back.empty()) continue;
      findings.push_back({way.file, way.line, "a circle of rooms: " + circle_text(ways, back)});
    }
  }
  return findings;
}

}  // namespace foretrain::house
