// The supervisor as a story of deaths, decisions, compared as text.
#include "models/supervision/supervisor.h"
#include "scenarios/language/units.h"
#include "scenarios/resolve/prepared.h"
#include "scenarios/resolve/read.h"
#include "tests/support/line_diff.h"
#include "tests/support/places.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace foretrain::supervision {
namespace {

namespace fs = std::filesystem;
using namespace literals;

constexpr const char* kHowToRewriteIt =
    "FORETRAIN_REWRITE_GOLDEN=1 build/release/tests/foretrain_tests 'supervisor: *'";

// Three nodes that take 0.1 s for each request; faults follow the script.
class World {
 public:
  World(const std::string& settings, int restarts, bool tasks) : tasks_(tasks) {
    std::string text =
        "foretrain: 1\nname: story\nmodel: softmax\nnumerics: off\n"
        "dataset: {format: digits, take: 600, test_take: 200}\n"
        "training: {batch_size: 16, steps: 9, bucket_size: 16 kB, " +
        settings + "}\n";
    training_ = prepare(parse_scenario(text, "story").front(), Need::shape).training;
    const auto role = [this](NodeId id) { return training_->role(id); };
    supervisor_ =
        std::make_unique<Supervisor>(Rules{.training = training_,
                                           .restarts = restarts,
                                           .tasks = tasks,
                                           .described = role,
                                           .named = role,
                                           .text = [](Duration t) { return to_text(t); }});
    runs_.resize(static_cast<std::size_t>(training_->nodes()));
    there_.resize(runs_.size());
    if (tasks) {
      for (std::uint32_t i = 1; i < runs_.size(); ++i) come(NodeId{i});
    }
  }

  // Reads a line of the script: `at 2.0 kill worker1`.
  void plan(const std::string& line) {
    std::istringstream words(line);
    std::string at;
    double seconds = 0;
    std::string what;
    std::string who;
    std::string more;
    words >> at >> seconds >> what >> who;
    std::getline(words >> std::ws, more);
    const Instant when{Duration::from_seconds(seconds).ns};
    const auto id = NodeId{number_of(who)};
    if (what == "kill") return after(when, [this, id] { killed(id, "was killed by signal 9"); });
    if (what == "come") return after(when, [this, id] { come(id); });
    input_later(when, id, what, more);
  }

  std::string tell() {
    std::vector<Effect> effects;
    supervisor_->begin(now_, effects);
    perform(effects);
    while (!events_.empty() && !stopped_) {
      const auto next = events_.begin();
      now_ = next->first;
      const auto what = std::move(next->second);
      events_.erase(next);
      what();
    }
    return story_;
  }

 private:
  std::uint32_t number_of(const std::string& role) const {
    for (std::uint32_t i = 0; i < runs_.size(); ++i) {
      if (training_->role(NodeId{i}) == role) return i;
    }
    return 0;
  }
  std::string name(NodeId id) const { return training_->role(id); }
  void after(Instant when, std::function<void()> what) { events_.emplace(when, std::move(what)); }
  void soon(std::function<void()> what) { after(now_ + 100_ms, std::move(what)); }

  void input_later(Instant when, NodeId id, const std::string& what, const std::string& more) {
    if (what == "silence") {
      return after(when, [this, id] {
        input(Silent{id, "was silent for 3 s"}, name(id) + " is silent");
      });
    }
    if (what == "fault") {
      const std::string how =
          fmt::format("was killed at {}, as faults: says", to_text(when - Instant{}));
      const auto back = more.empty() ? std::nullopt : std::optional(parse_duration(more));
      return after(when, [this, id, how, back] {
        input(FaultDue{{id}, how, back}, name(id) + " is due to die");
      });
    }
    if (what == "trouble") {
      const NodeId peer{number_of(more)};
      const auto blamed = more.empty() ? std::nullopt : std::optional(peer);
      return after(when, [this, id, blamed] {
        input(Told{id, Told::What::trouble, "it is broken", blamed}, name(id) + " has trouble");
      });
    }
    if (what == "unread") {
      unread_[id] = more == "older";
      return;
    }
    if (what == "interrupt") {
      return after(when, [this] { input(Interrupted{"interrupted by signal 15"}, "a signal"); });
    }
    REQUIRE(what == "finish");
    after(when, [this] {
      for (std::uint32_t i = 0; i < runs_.size(); ++i) {
        if (!supervisor_->is<Training>(NodeId{i})) continue;
        input(Told{NodeId{i}, Told::What::finished}, name(NodeId{i}) + " has finished");
      }
    });
  }

  // Writes a line for the input, then one for each effect.
  void input(const Input& what, const std::string& told) {
    std::vector<Effect> effects;
    supervisor_->handle(now_, what, effects);
    const bool timer = std::holds_alternative<TimerFired>(what);
    if (timer && effects.empty()) return;
    line(told);
    perform(effects);
  }
  void line(const std::string& what) {
    story_ += fmt::format("{:7.3f}  {}\n", now_.seconds(), what);
  }
  void effect(const std::string& what) { story_ += fmt::format("{:11}{}\n", "", what); }

  void come(NodeId id) {
    const int process = ++runs_[index_of(id)];
    there_[index_of(id)] = true;
    soon([this, id, process] {
      if (runs_[index_of(id)] == process) input(Joined{id}, name(id) + " joins");
    });
  }
  // Only if the process is still the same as now.
  void soon_of(NodeId id, std::function<void()> what) {
    const int process = runs_[index_of(id)];
    soon([this, id, process, what = std::move(what)] {
      if (runs_[index_of(id)] == process) what();
    });
  }
  void killed(NodeId id, const std::string& how) {
    input(Left{id, "it closed the connection"}, name(id) + " leaves");
    ended(id, how);
  }
  // For a task of another launcher, the supervisor sees only the connection.
  void ended(NodeId id, const std::string& how) {
    ++runs_[index_of(id)];
    there_[index_of(id)] = false;
    if (tasks_ && index_of(id) > 0) return;
    input(Exited{id, how}, fmt::format("{} {}", name(id), how));
  }

  void perform(const std::vector<Effect>& effects) {
    for (const Effect& each : effects) std::visit([this](const auto& what) { on(what); }, each);
  }
  void on(const Start& start) {
    effect("start " + name(start.node));
    come(start.node);
  }
  void on(const Kill& kill) {
    effect("kill " + name(kill.node));
    soon_of(kill.node, [this, id = kill.node] { killed(id, "was killed by signal 9"); });
  }
  void on(const Admit& /*admit*/) {}
  void on(const TurnAway& away) { effect("turn away " + name(away.node)); }
  void on(const Tell& tell) {
    const std::string to = tell.to ? name(*tell.to) : "all";
    switch (tell.what) {
      case Tell::What::setup:
        return soon_of(*tell.to, [this, id = *tell.to] {
          const auto unread = unread_.find(id);
          if (unread == unread_.end()) {
            return input(Told{id, Told::What::listening}, name(id) + " listens");
          }
          const bool older = unread->second;
          unread_.erase(unread);
          input(Told{id, Told::What::unread, "no such file", {}, older},
                name(id) + " cannot read its part");
        });
      case Tell::What::peers:
        effect("tell " + to + ": peers");
        for (std::uint32_t i = 0; i < runs_.size(); ++i) {
          if (tell.to.value_or(NodeId{i}) != NodeId{i}) continue;
          soon_of(NodeId{i}, [this, i] {
            input(Told{NodeId{i}, Told::What::ready}, name(NodeId{i}) + " is ready");
          });
        }
        return;
      case Tell::What::go:
        return effect("tell " + to + ": go");
      case Tell::What::lost:
        return effect("tell all: " + name(tell.about) + " is lost");
      case Tell::What::back:
        return effect("tell all: " + name(tell.about) + " is back");
    }
  }
  void on(const Arm& arm) {
    after(arm.at, [this, timer = arm.timer] {
      constexpr std::array kNames{"it is time to have joined", "nothing more telling came",
                                  "it is time to have left", "it is time to start"};
      input(TimerFired{timer}, kNames[static_cast<std::size_t>(timer.kind)]);
    });
  }
  void on(const Record& record) {
    effect(fmt::format("record: {} {}", name(record.node),
                       record.lost.empty() ? "is back" : record.lost));
  }
  void on(const Say& say) { effect("say: " + say.line.substr(0, say.line.find('\n'))); }
  void on(const EndAttempt& end) {
    constexpr std::array kNames{"done", "failed", "interrupted"};
    effect(fmt::format("end: {}{}{}{}", kNames[static_cast<std::size_t>(end.outcome)],
                       end.failure.empty() ? "" : ", " + end.failure, end.again ? "; again" : "",
                       end.older ? ", from an older checkpoint" : ""));
    for (std::uint32_t i = 0; i < runs_.size(); ++i) {
      if (!there_[i]) continue;
      soon_of(NodeId{i}, [this, i, again = end.again] {
        input(Left{NodeId{i}, "it closed the connection"}, name(NodeId{i}) + " leaves");
        if (again) return come(NodeId{i});
        ended(NodeId{i}, "exited with status 0");
      });
    }
  }
  void on(const BeginAttempt& /*begin*/) {
    line("all begin again");
    std::vector<Effect> effects;
    supervisor_->begin(now_, effects);
    perform(effects);
  }
  void on(const Stop& /*stop*/) {
    effect("stop");
    stopped_ = true;
  }

  std::shared_ptr<const foretrain::Training> training_;
  std::unique_ptr<Supervisor> supervisor_;
  std::multimap<Instant, std::function<void()>> events_;
  Instant now_;
  std::vector<int> runs_;    // number of its process, by node
  std::vector<bool> there_;  // whether it runs, by node
  std::map<NodeId, bool> unread_;
  std::string story_;
  bool tasks_;
  bool stopped_ = false;
};

struct File {
  std::string header;
  std::string story;
};

File read_story(const fs::path& path) {
  File file;
  std::ifstream stream(path);
  for (std::string line; std::getline(stream, line);) {
    (line.starts_with('#') ? file.header : file.story) += line + '\n';
  }
  return file;
}

// Header lines: `# Training: strategy: async, workers: 2`, `# Restarts: 1`, `# Tasks`, `# at 2.0
// kill worker1`.
std::string tell(const std::string& header) {
  std::string settings;
  int restarts = 0;
  bool tasks = false;
  std::vector<std::string> script;
  std::istringstream lines(header);
  for (std::string line; std::getline(lines, line);) {
    const auto after = [&](std::string_view key) {
      return line.starts_with(key) ? std::optional(line.substr(key.size())) : std::nullopt;
    };
    if (const auto text = after("# Training: ")) settings = *text;
    if (const auto text = after("# Restarts: ")) restarts = std::stoi(*text);
    if (line == "# Tasks") tasks = true;
    if (const auto text = after("# at ")) script.push_back("at " + *text);
  }
  World world(settings, restarts, tasks);
  for (const std::string& line : script) world.plan(line);
  return world.tell();
}

TEST_CASE("supervisor: each story goes as it is told") {
  int stories = 0;
  const fs::path folder = fs::path(source_dir()) / "tests" / "golden" / "supervision";
  for (const auto& entry : fs::directory_iterator(folder)) {
    ++stories;
    File file = read_story(entry.path());
    INFO(entry.path().string());
    CHECK(file.header.find("# Notice: ") != std::string::npos);
    const std::string now = tell(file.header);
    if (std::getenv("FORETRAIN_REWRITE_GOLDEN") != nullptr) {
      std::ofstream(entry.path()) << file.header << now;
      file.story = now;
    }
    const std::string diff = testing::line_diff(file.story, now);
    if (diff.empty()) continue;
    fmt::print(stderr, "{} (-) and this program (+):\n{}", entry.path().string(), diff);
    FAIL_CHECK("tells another story; where that is meant, rewrite it by: " << kHowToRewriteIt);
  }
  CHECK(stories > 0);
}

}  // namespace
}  // namespace foretrain::supervision
