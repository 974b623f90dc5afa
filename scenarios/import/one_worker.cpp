// Selects the events of one worker in a trace of several.
#include "scenarios/import/imported_job.h"
#include "scenarios/language/input_error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace foretrain {
namespace {

class OneWorker {
 public:
  OneWorker(ChromeTrace& trace, const TraceChoice& choice) : trace_(trace), choice_(choice) {}

  void keep() {
    launches_ = correlated(TraceKind::launch);
    check_launches();
    match(correlated(TraceKind::device));
    if (!launching_.empty()) find_owners();
    keep_process();
    keep_device();
    keep_once();
    keep_timed();
  }

 private:
  struct Correlated {
    std::int64_t correlation;
    std::size_t event;
  };
  using All = std::vector<Correlated>;         // by correlation, then in file order
  using Votes = std::map<std::uint16_t, int>;  // by launching process

  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(fmt::format("{}: {}", trace_.source, what));
  }

  [[nodiscard]] All correlated(TraceKind kind) const {
    All all;
    for (std::size_t i = 0; i < trace_.events.size(); ++i) {
      const TraceEvent& event = trace_.events[i];
      if (event.kind == kind && event.correlation > 0) all.push_back({event.correlation, i});
    }
    std::ranges::stable_sort(all, {}, &Correlated::correlation);
    return all;
  }

  void check_launches() const {
    std::size_t twice = 0;
    for (std::size_t i = 1; i < launches_.size(); ++i) {
      const TraceEvent& one = trace_.events[launches_[i - 1].event];
      const TraceEvent& other = trace_.events[launches_[i].event];
      twice += one.correlation == other.correlation && one.name == other.name &&
                       one.process == other.process
                   ? 1
                   : 0;
    }
    if (twice == 0 || 3 * twice < launches_.size()) return;
    fail(
        "each launch occurs several times in one process: traces of several ranks were merged; "
        "give the trace of one rank");
  }

  // Pairs kernels with launches: one by one if a correlation has equal numbers of both, else with
  // the last launch before the kernel in the file.
  void match(const All& kernels) {
    owners_.reserve(kernels.size());
    for (std::size_t first = 0; first < kernels.size();) {
      const auto equal = [&](const All& all) {
        return std::ranges::equal_range(all, kernels[first].correlation, {},
                                        &Correlated::correlation);
      };
      const auto same = equal(kernels);
      const auto launches = equal(launches_);
      for (std::size_t i = 0; i < same.size() && !launches.empty(); ++i) {
        const std::size_t kernel = same[i].event;
        auto launch = launches.begin() + static_cast<std::ptrdiff_t>(i);
        if (same.size() != launches.size()) {
          launch = std::ranges::upper_bound(launches, kernel, {}, &Correlated::event);
          if (launch != launches.begin()) --launch;
        }
        owners_.push_back({kernel, trace_.events[launch->event].process});
      }
      for (const Correlated& each : launches) launching_.insert(trace_.events[each.event].process);
      first += same.size();
    }
  }

  // Replaces the processes of kernels by those that launched them.
  void find_owners() {
    std::map<std::uint16_t, Votes> votes;  // by process of the kernels
    for (const auto& [kernel, process] : owners_) ++votes[trace_.events[kernel].process][process];
    std::map<std::uint16_t, std::uint16_t> majority;
    std::set<std::uint16_t> owning;
    for (const auto& [process, of_process] : votes) {
      const auto most =
          std::ranges::max_element(of_process, {}, [](const auto& v) { return v.second; });
      majority[process] = most->first;
      owning.insert(most->first);
    }
    if (owning != launching_) {  // kernels of several processes share one id
      for (const auto& [kernel, process] : owners_) trace_.events[kernel].process = process;
      return;
    }
    for (TraceEvent& event : trace_.events) {
      if (event.kind != TraceKind::device) continue;
      const auto owner = majority.find(event.process);
      event.process = owner != majority.end() ? owner->second : *launching_.begin();
    }
  }

  [[nodiscard]] int rank_of(std::uint16_t process) const {
    const int rank = trace_.processes[process].rank;
    return rank < 0 && launching_.size() == 1 ? static_cast<int>(trace_.rank) : rank;
  }

  void keep_process() {
    if (launching_.empty()) return;
    std::set<std::uint16_t> with_steps;
    std::set<std::uint16_t> with_operators;
    std::set<std::uint16_t> on_device;
    for (const TraceEvent& event : trace_.events) {
      if (event.kind == TraceKind::device && event.device == choice_.device) {
        on_device.insert(event.process);
      }
      if (event.kind != TraceKind::op) continue;
      with_operators.insert(event.process);
      if (trace_.name_of(event).starts_with(kStepName)) with_steps.insert(event.process);
    }
    std::vector<std::uint16_t> candidates(launching_.begin(), launching_.end());
    const bool named = std::ranges::any_of(candidates, [&](auto p) { return rank_of(p) >= 0; });
    std::ranges::stable_sort(candidates, {}, [&](std::uint16_t process) {
      return std::tuple(choice_.device && !on_device.contains(process),
                        !with_steps.contains(process), rank_of(process));
    });
    std::uint16_t chosen = candidates.front();
    if (choice_.rank) {
      std::size_t place = 0;
      while (place < candidates.size() &&
             choice_.rank != (named ? rank_of(candidates[place]) : static_cast<int>(place))) {
        ++place;
      }
      if (place == candidates.size()) fail_rank(candidates, named);
      chosen = candidates[place];
    }
    if (candidates.size() > 1) {
      trace_.notes.push_back(
          fmt::format("{} processes launch kernels in this trace: {}. Process {} is used; --rank "
                      "chooses another.",
                      candidates.size(), names_of(candidates, named), trace_.processes[chosen].id));
    }
    // Some profilers write operators under another id than launches.
    const bool has_operators = with_operators.contains(chosen);
    std::erase_if(trace_.events, [&](const TraceEvent& event) {
      if (event.process == chosen) return false;
      return event.kind != TraceKind::op || has_operators || launching_.contains(event.process);
    });
  }

  [[nodiscard]] std::string names_of(const std::vector<std::uint16_t>& processes,
                                     bool named) const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < processes.size(); ++i) {
      const int rank = named ? rank_of(processes[i]) : static_cast<int>(i);
      names.push_back(fmt::format("{} (rank {})", trace_.processes[processes[i]].id,
                                  rank < 0 ? "unknown" : std::to_string(rank)));
    }
    return fmt::format("{}", fmt::join(names, ", "));
  }

  [[noreturn]] void fail_rank(const std::vector<std::uint16_t>& candidates, bool named) const {
    fail(fmt::format("--rank {}: the trace has no such rank; its processes are {}", *choice_.rank,
                     names_of(candidates, named)));
  }

  void keep_device() {
    std::map<std::int16_t, double> busy_us;
    for (const TraceEvent& event : trace_.events) {
      if (event.kind == TraceKind::device && event.device >= 0) {
        busy_us[event.device] += event.duration_us;
      }
    }
    std::vector<int> numbers;
    double all_us = 0;
    for (const auto& [device, us] : busy_us) {
      numbers.push_back(device);
      all_us += us;
    }
    const bool is_there = std::ranges::find(numbers, choice_.device.value_or(-1)) != numbers.end();
    if (choice_.device && !is_there) {
      fail(fmt::format("--device {}: no kernel ran there; devices are {}", *choice_.device,
                       numbers.empty() ? "unknown" : fmt::to_string(fmt::join(numbers, ", "))));
    }
    if (numbers.size() < 2) return;
    const auto most = std::ranges::max_element(busy_us, {}, [](const auto& d) { return d.second; });
    const auto chosen = choice_.device ? static_cast<std::int16_t>(*choice_.device) : most->first;
    trace_.notes.push_back(fmt::format(
        "Kernels ran on devices {}. Device {} is used ({:.0f} % of the time of all); --device "
        "chooses another.",
        fmt::join(numbers, ", "), chosen, all_us > 0 ? 100 * busy_us[chosen] / all_us : 0));
    const auto is_elsewhere = [chosen](const TraceEvent& event) {
      return event.kind == TraceKind::device && event.device >= 0 && event.device != chosen;
    };
    std::unordered_map<std::int64_t, bool> all_elsewhere;  // by correlation: its kernels
    for (const TraceEvent& event : trace_.events) {
      if (event.kind != TraceKind::device || event.correlation <= 0) continue;
      bool& all = all_elsewhere.emplace(event.correlation, true).first->second;
      all = all && is_elsewhere(event);
    }
    std::erase_if(trace_.events, [&](const TraceEvent& event) {
      if (event.kind != TraceKind::launch) return is_elsewhere(event);
      const auto kernels = all_elsewhere.find(event.correlation);
      return kernels != all_elsewhere.end() && kernels->second;
    });
  }

  // Kernels of one launch with equal times are copies of one kernel.
  void keep_once() {
    const auto key = [&](const Correlated& each) {
      const TraceEvent& event = trace_.events[each.event];
      return std::tuple(each.correlation, event.start_us, event.duration_us);
    };
    All kernels = correlated(TraceKind::device);
    std::ranges::stable_sort(kernels, {}, key);
    std::vector<bool> is_copy(trace_.events.size());
    std::size_t copies = 0;
    for (std::size_t i = 1; i < kernels.size(); ++i) {
      if (key(kernels[i]) != key(kernels[i - 1])) continue;
      is_copy[kernels[i].event] = true;
      ++copies;
    }
    if (copies == 0) return;
    const TraceEvent* const first = trace_.events.data();
    std::erase_if(trace_.events, [&](const TraceEvent& event) {
      return is_copy[static_cast<std::size_t>(&event - first)];
    });
    trace_.notes.push_back(fmt::format(
        "{} kernels occur twice, with the same launch and times: each counts once.", copies));
  }

  void keep_timed() {
    if (trace_.events.empty()) return;
    constexpr double kMost_us = 3.6e9;
    std::vector<double> starts;
    starts.reserve(trace_.events.size());
    for (const TraceEvent& event : trace_.events) starts.push_back(event.start_us);
    const auto middle = starts.begin() + static_cast<std::ptrdiff_t>(starts.size() / 2);
    std::ranges::nth_element(starts, middle);
    std::int64_t others = 0;
    std::erase_if(trace_.events, [&](const TraceEvent& event) {
      const bool is_kernel = event.kind == TraceKind::device;
      const bool is_lost = std::abs(event.start_us - *middle) > kMost_us ||
                           event.duration_us > kMost_us ||
                           (is_kernel && event.start_us <= 0 && *middle > 0);
      if (is_lost) ++(is_kernel ? trace_.untimed : others);
      return is_lost;
    });
    if (trace_.untimed > 0) {
      trace_.notes.push_back(
          fmt::format("Left out: {} kernels without a time stamp.", trace_.untimed));
    }
    if (others > 0) {
      trace_.notes.push_back(fmt::format(
          "Left out: {} events of the host that are an hour or more from the others.", others));
    }
  }

  ChromeTrace& trace_;
  TraceChoice choice_;
  All launches_;
  std::vector<std::pair<std::size_t, std::uint16_t>> owners_;  // kernels with their owners
  std::set<std::uint16_t> launching_;                          // processes with kernels
};

}  // namespace

void keep_one_worker(ChromeTrace& trace, const TraceChoice& choice) {
  OneWorker(trace, choice).keep();
}

}  // namespace foretrain
