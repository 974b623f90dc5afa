#include "scenarios/scaffold/place.h"

#include "scenarios/language/decimal.h"
#include "scenarios/language/input_error.h"
#include "scenarios/language/propose.h"
#include "scenarios/language/units.h"
#include "scenarios/library/library.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

namespace foretrain {

std::vector<std::string> host_words() {
  std::vector<std::string> words = library_names("hardware");
  words.insert(words.end(), {std::string(kHere), std::string(kOwnHost)});
  return words;
}

HostsAsked asked_hosts(std::string_view cluster) {
  constexpr int kHostsMost = 512;
  static const std::regex kOwn("([0-9]*) ?((of|my|own|mine|machines?|hosts?|computers?) ?)+",
                               std::regex::icase);
  const auto [text, times] = parse_several(cluster);
  const std::string name(text);
  std::smatch own;
  const bool is_own = std::regex_match(name, own, kOwn);
  const std::string own_number = is_own ? own[1].str() : "";
  const std::string number = times.empty() ? own_number : std::string(times);
  const std::string known = is_own ? std::string(kOwnHost) : in_any_case(name, host_words());
  HostsAsked hosts{known.empty() ? name : known};
  if (number.empty()) return hosts;
  const auto count = to_integer(*parse_decimal(number)).value_or(0);
  const bool twice = !times.empty() && !own_number.empty();
  if (count < 1 || count > kHostsMost || twice || known == kHere) {
    throw InputError(fmt::format("--cluster {}: write 1 to {} hosts", cluster, kHostsMost));
  }
  hosts.count = static_cast<int>(count);
  return hosts;
}

ScaffoldPlace draft_place(const std::string& cluster) {
  ScaffoldPlace place;
  if (cluster == kHere) return place;
  place.hosts = asked_hosts(cluster);
  place.here = false;
  const std::vector<HostSpec> library = library_hosts();
  const auto found = std::ranges::find(library, place.hosts.name, &HostSpec::name);
  if (!place.own()) place.host = *found;
  place.workers = place.hosts.count * std::max(1, place.host.devices) - (place.own() ? 1 : 0);
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
