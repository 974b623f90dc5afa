#include "scenarios/scaffold/place.h"

#include "scenarios/language/input_error.h"
#include "scenarios/language/propose.h"
#include "scenarios/library/library.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace foretrain {
namespace {

std::string_view without_blanks(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

/// The number of hosts in `text`; nothing if it is no number.
std::optional<int> host_count(std::string_view text, std::string_view cluster) {
  constexpr int kHostsMost = 512;
  const std::string_view number = without_blanks(text);
  int count = 0;
  const auto read = std::from_chars(number.data(), number.data() + number.size(), count);
  const bool whole = !number.empty() && !number.starts_with('-') &&  // not the -1 of dgx-1
                     read.ptr == number.data() + number.size();
  if (!whole) return std::nullopt;
  if (read.ec == std::errc() && count >= 1 && count <= kHostsMost) return count;
  throw InputError(fmt::format("--cluster {}: write 1 to {} hosts", cluster, kHostsMost));
}

HostsAsked called(std::string_view text, int count) {
  const std::string name(without_blanks(text));
  const std::string known = in_any_case(name, library_names("hardware"));
  return {known.empty() ? name : known, count};
}

}  // namespace

HostsAsked asked_hosts(std::string_view cluster) {
  for (const std::size_t cross : {cluster.rfind('x'), cluster.find('x')}) {
    if (cross == std::string_view::npos) break;
    const std::string_view before = cluster.substr(0, cross);
    const std::string_view behind = cluster.substr(cross + 1);
    if (const auto count = host_count(behind, cluster)) return called(before, *count);
    if (const auto count = host_count(before, cluster)) return called(behind, *count);
  }
  return called(cluster, 1);
}

ScaffoldPlace draft_place(const std::string& cluster) {
  ScaffoldPlace place;
  if (cluster == kHere) return place;
  place.hosts = asked_hosts(cluster);
  const std::vector<HostSpec> library = library_hosts();
  place.host = *std::ranges::find(library, place.hosts.name, &HostSpec::name);
  place.here = false;
  place.workers = place.hosts.count * std::max(1, place.host.devices);
  return place;
}

std::vector<int> worker_counts(const ScaffoldPlace& place) {
  if (place.here) return {1, 2, 3};
  std::vector<int> counts;
  for (int count = 1; count < place.workers; count *= 2) counts.push_back(count);
  counts.push_back(place.workers);
  return counts;
}

}  // namespace foretrain
