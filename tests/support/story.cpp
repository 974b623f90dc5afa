#include "tests/support/story.h"

#include "models/protocol/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace foretrain::testing {
namespace {
using namespace literals;

constexpr Duration kGradient = 1_ms;
constexpr Duration kOtherJob = 100_us;
constexpr Duration kLatency = 100_us;
constexpr std::int64_t kNanosecondsPerByte = 10;

std::string ms(std::int64_t ns) { return fmt::format("{:.3f}", static_cast<double>(ns) / 1e6); }

std::string with_commas(std::int64_t number) {
  std::string digits = fmt::format("{}", number);
  for (auto at = std::ssize(digits) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), ",");
  }
  return digits;
}

std::string_view name_of(MessageKind kind) {
  constexpr std::array<std::string_view, 14> kNames{
      "",        "push",    "parameters", "final parameters", "stop", "partial",
      "dropped", "choice",  "late",       "enough",           "cut",  "kept",
      "pull",    "returned"};
  static_assert(kNames.size() == static_cast<std::size_t>(MessageKind::end));
  return kNames.at(static_cast<std::size_t>(kind));
}

std::string what_of(const Message& message) {
  const std::string stale =
      message.staleness > 0 ? fmt::format(" stale {}", message.staleness) : "";
  return fmt::format("{} bucket {} step {} version {}{}, {} B", name_of(message.kind),
                     message.bucket, message.step.value, message.version.value, stale,
                     with_commas(wire_size(message).value));
}

std::string what_of(const Job& job) {
  const std::string where =
      job.buckets == 1 ? fmt::format("bucket {}", job.bucket)
                       : fmt::format("buckets {} to {}", job.bucket, job.bucket + job.buckets - 1);
  switch (job.kind) {
    case JobKind::gradient:
      return fmt::format("computes a gradient{}",
                         job.share < 1 ? fmt::format(", stage {}", job.stage) : "");
    case JobKind::apply:
      return fmt::format("updates {} by {} gradient{}", where, job.pushes,
                         job.pushes == 1 ? "" : "s");
    case JobKind::reduce:
      return fmt::format("adds its own to the sum of {}", where);
    case JobKind::evaluate:
      return "evaluates";
  }
  return "does a job of an unknown kind";
}

std::string what_of(const StepReport& report) {
  std::string what = fmt::format("ends step {}:", report.step.value);
  for (const auto& [phase, of] : kPhases<Duration>) {
    const Duration time = report.phases.*of;
    const bool told = of == &Phases::evaluate;  // an evaluation has its own line
    if (time.ns != 0 && !told) what += fmt::format(" {} {}", phase, ms(time.ns));
  }
  return what;
}

std::string what_of(const Finished& finished) {
  if (finished.updates == 0) return "has finished";
  return fmt::format("has finished: {} updates, {} gradients, {} dropped", finished.updates,
                     finished.gradients, finished.dropped);
}

class Story {
 public:
  explicit Story(std::shared_ptr<const Training> training) : training_(std::move(training)) {
    for (int id = 0; id < training_->nodes(); ++id) {
      nodes_.emplace_back().program = make_node(training_, NodeId(id));
      at({}, [this, id] {
        add(id, "starts");
        tell(id, Started{});
      });
    }
  }

  std::string tell_all() {
    while (!events_.empty()) {
      auto event = events_.extract(events_.begin());
      now_ = event.key().first;
      event.mapped()();
    }
    std::size_t widest = 0;
    for (const Line& line : lines_) widest = std::max(widest, line.who.size());
    std::string text;
    for (const Line& line : lines_) {
      text += fmt::format("{:>7}  {:<{}}  {}{}{}\n", ms(line.began.ns), line.who, widest, line.what,
                          line.end.empty() ? "" : "; ", line.end);
    }
    return text;
  }

 private:
  struct Line {
    Instant began;
    std::string who;
    std::string what;
    std::string end;
  };
  struct Waiting {  // waiting to be sent or done
    std::size_t line = 0;
    std::uint32_t bucket = 0;
    std::function<void()> begin;
  };
  struct Place {
    std::unique_ptr<Node> program;
    std::deque<Waiting> outgoing;
    std::deque<Waiting> jobs;
    bool sending = false;
    bool working = false;
  };
  /// A finished update: messages of its bucket that follow carry the version that it made.
  struct Update {
    std::size_t line = 0;
    std::uint32_t bucket = 0;
  };

  void at(Instant when, std::function<void()> what) {
    events_.emplace(std::pair(when, sequence_++), std::move(what));
  }
  void after(Duration time, std::function<void()> what) { at(now_ + time, std::move(what)); }

  std::size_t add(int id, const std::string& what, const std::string& end = "") {
    return add(training_->role(NodeId(id)), what, end);
  }
  std::size_t add(const std::string& who, const std::string& what, const std::string& end) {
    lines_.push_back({now_, who, what, end});
    return lines_.size() - 1;
  }

  void tell(int id, Input input, std::optional<Update> update = {}) {
    Effects effects;
    nodes_[static_cast<std::size_t>(id)].program->handle(now_, std::move(input), effects);
    for (Effect& effect : effects) perform(id, effect, update);
  }

  void perform(int id, Effect& effect, std::optional<Update>& update) {
    if (auto* send = std::get_if<Send>(&effect)) {
      const std::uint32_t bucket = send->message.bucket;
      if (update && bucket == update->bucket) {
        lines_[update->line].end += fmt::format(": version {}", send->message.version.value);
        update.reset();
      }
      ask_to_send(id, *send);
    } else if (auto* compute = std::get_if<Compute>(&effect)) {
      ask_to_compute(id, compute->job);
    } else if (auto* timer = std::get_if<ArmTimer>(&effect)) {
      add(id, fmt::format("sets a timer, {}", ms(timer->after.ns)));
      after(timer->after, [this, id, which = timer->timer] {
        add(id, "hears its timer");
        tell(id, TimerFired{which});
      });
    } else if (auto* report = std::get_if<Report>(&effect)) {
      if (const auto* step = std::get_if<StepReport>(report)) {
        add(id, what_of(*step));
      } else {
        const auto& eval = std::get<EvalReport>(*report);
        add(id, fmt::format("has evaluated version {}{}", eval.version.value,
                            eval.final ? ", the last" : ""));
      }
    } else if (auto* finished = std::get_if<Finished>(&effect)) {
      add(id, what_of(*finished));
    } else if (const auto* fault = std::get_if<Fault>(&effect)) {
      add(id, "cannot go on: " + fault->why);
    }
  }

  void ask_to_send(int id, Send& send) {
    Place& place = nodes_[static_cast<std::size_t>(id)];
    const int to = static_cast<int>(index_of(send.to));
    const std::size_t line =
        add(fmt::format("{} > {}", training_->role(NodeId(id)), training_->role(send.to)),
            what_of(send.message), "never read");
    const std::uint32_t bucket = send.message.bucket;
    const Duration wire{wire_size(send.message).value * kNanosecondsPerByte};
    const auto message = std::make_shared<Message>(std::move(send.message));
    const auto begin = [this, id, to, line, wire, message] {
      after(wire, [this, id] { sent(id); });
      after(wire + kLatency, [this, id, to, line, message] {
        lines_[line].end = "read " + ms(now_.ns);
        tell(to, Received{NodeId(id), std::move(*message)});
      });
    };
    const auto later = std::ranges::upper_bound(place.outgoing, bucket, {}, &Waiting::bucket);
    place.outgoing.insert(later, {line, bucket, begin});
    if (!place.sending) sent(id);
  }

  // The node may send its next message.
  void sent(int id) {
    Place& place = nodes_[static_cast<std::size_t>(id)];
    place.sending = !place.outgoing.empty();
    if (!place.sending) return;
    const Waiting next = std::move(place.outgoing.front());
    place.outgoing.pop_front();
    next.begin();
  }

  void ask_to_compute(int id, const Job& job) {
    const bool gradient = job.kind == JobKind::gradient;
    const std::size_t line = add(id, what_of(job), "never done");
    const bool slow = training_->workers > 1 && id == training_->workers - 1;
    const double share = gradient ? (slow ? 2 : 1) * job.share : 1;
    const Duration whole = gradient ? kGradient : kOtherJob;
    const Duration time{static_cast<std::int64_t>(share * static_cast<double>(whole.ns) + 0.5)};
    std::optional<Update> update;
    if (job.kind == JobKind::apply) update = Update{line, job.bucket};
    const auto begin = [this, id, line, time, update, which = job.id] {
      after(time, [this, id, line, update, which] {
        lines_[line].end = "done " + ms(now_.ns);
        tell(id, Computed{which, {}}, update);
        spent(id);
      });
    };
    Place& place = nodes_[static_cast<std::size_t>(id)];
    place.jobs.push_back({line, 0, begin});
    if (!place.working) spent(id);
  }

  // The node may begin its next job.
  void spent(int id) {
    Place& place = nodes_[static_cast<std::size_t>(id)];
    place.working = !place.jobs.empty();
    if (!place.working) return;
    const Waiting next = std::move(place.jobs.front());
    place.jobs.pop_front();
    next.begin();
  }

  std::shared_ptr<const Training> training_;
  std::vector<Place> nodes_;
  std::vector<Line> lines_;
  std::map<std::pair<Instant, std::uint64_t>, std::function<void()>> events_;
  std::uint64_t sequence_ = 0;
  Instant now_;
};

}  // namespace

std::string story_of(const std::shared_ptr<const Training>& training) {
  return Story(training).tell_all();
}

}  // namespace foretrain::testing
