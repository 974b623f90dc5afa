#include "tests/bench/sim.h"

#include "exec/calibration/forked.h"
#include "exec/system/process.h"
#include "models/data/sampler.h"
#include "reports/record/statistics.h"
#include "scenarios/resolve/prepared.h"
#include "sim/driver/simulate.h"
#include "sim/engine/engine.h"
#include "tests/bench/alike.h"
#include "tests/bench/bench_commands.h"
#include "tests/bench/common/bench_options.h"
#include "tests/bench/peer.h"

#include <fmt/format.h>

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <utility>

namespace foretrain::bench {
namespace {
using Clock = std::chrono::steady_clock;

// The peer's scenario: hosts around a switch, 10 Gbit/s and 25 us each, gradients of 10 ms, 0.1 ms
// to apply one.
Case star(const std::string& strategy, int workers, std::int64_t steps) {
  Case result;
  Scenario& scenario = result.scenario;
  scenario.name = "star";
  scenario.numerics = false;
  scenario.training.strategy = strategy;
  scenario.training.workers = workers;
  scenario.training.steps = steps;
  scenario.training.optimizer.learning_rate = 0.1;
  HostSpec host;
  host.name = "node";
  host.count = workers + 1;
  host.nic = {1.25e9};
  host.latency = {25'000};
  host.compute = Duration{10'000'000};
  host.machine = "peer";
  scenario.cluster.hosts.push_back(host);
  return result;
}

// Softmax has 31.4 KB; a perceptron with 7,861 hidden units has 25 MB.
void use_large_model(Scenario& scenario) {
  scenario.model.name = "mlp";
  scenario.model.options.hidden = {7'861};
  scenario.training.bucket_size = {26'000'000};
}

Machine peer_machine() {
  Machine machine;
  machine.name = "peer";
  machine.apply = {1e-4, 0};
  return machine;
}

// The peer's machine plus what a calibration measures: message costs, caches, jitter of gradients.
Machine calibrated_machine() {
  Machine machine = peer_machine();
  machine.name = "calibrated";
  const AffineCost message{4e-6, 1e-10};
  machine.loopback = {.send = message, .receive = message, .wake = {50'000}, .poll = kPoll};
  machine.memory = {{1 << 20}, {32 << 20}, 3e-12, 3e-11, 6e-11, 4e-11, {5e10}, {}};
  ModelCost lenet;
  lenet.gradient = {1e-5, 3e-5};
  lenet.gradient_jitter = 0.01;
  machine.models["lenet 784x10"] = lenet;
  return machine;
}

struct Timed {
  double wall_s = 0;
  double prepared_s = 0;  // part of it: reading or drawing data
  std::int64_t messages = 0;
  std::int64_t peak_kb = 0;
};

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Runs in its own process, to measure its memory alone.
Timed simulate_once(const Case& scenario_case) {
  return exec::Forked<Timed>(
             exec::usable_cores().front(),
             [&] {
               const auto start = Clock::now();
               sim::SimulateOptions options;
               options.machines = [](const std::string& name) {
                 return name == "calibrated" ? calibrated_machine() : peer_machine();
               };
               options.summary_only = true;
               const Prepared prepared =
                   prepare(scenario_case, need_of_simulation(scenario_case.scenario));
               Timed timed;
               timed.prepared_s = seconds_since(start);
               const Record record = sim::simulate(prepared, options);
               timed.wall_s = seconds_since(start);
               for (const NodeTotals& node : record.nodes) timed.messages += node.messages_sent;
               rusage usage{};
               getrusage(RUSAGE_SELF, &usage);
               timed.peak_kb = usage.ru_maxrss;
               return timed;
             })
      .get();
}

class Peer {
 public:
  Peer() : folder_(std::filesystem::temp_directory_path() / "foretrain-bench-peer") {
    std::filesystem::create_directories(folder_);
    for (const char* name : {"sg_ps", "sg_ring"}) {
      const auto built = lines_of(fmt::format("g++ -O2 {}/{}.cpp -o {}/{} -lsimgrid 2>&1",
                                              peers_folder(), name, folder_.string(), name));
      if (!built.empty()) throw std::runtime_error("SimGrid: " + built.front());
    }
  }
  [[nodiscard]] double messages_per_s(const std::string& arguments) const {
    for (const std::string& line :
         lines_of(fmt::format("{}/{} 2>/dev/null", folder_.string(), arguments))) {
      if (const auto rate = number_after(line, "msgs/s=")) return *rate;
    }
    throw std::runtime_error("SimGrid printed no rate: " + arguments);
  }

 private:
  std::filesystem::path folder_;
};

// A peer whose round takes longer than this runs only one, to save time.
constexpr double kSlowPeer_s = 20;

struct Measured {
  std::string name;
  std::function<Case()> ours;
  std::string theirs;
  /// The peer's messages per step, if it sends another number; then steps are compared.
  double messages_a_step = 0;
};

void compare(const std::vector<Measured>& all, const Options& options, Report& report) {
  const std::optional<Peer> peer = options.peer ? std::optional<Peer>(std::in_place) : std::nullopt;
  for (const Measured& each : all) {
    std::vector<double> ours;
    std::vector<double> theirs;
    std::vector<double> messages_a_second;
    std::vector<double> seconds_a_step;
    const bool of_steps = each.messages_a_step > 0;
    bool peer_is_slow = false;
    for (int round = 0; round < options.rounds; ++round) {
      const Case measured = each.ours();
      const Timed timed = simulate_once(measured);
      messages_a_second.push_back(static_cast<double>(timed.messages) / timed.wall_s);
      seconds_a_step.push_back(timed.wall_s /
                               static_cast<double>(measured.scenario.training.steps));
      ours.push_back(of_steps ? 1 / seconds_a_step.back() : messages_a_second.back());
      if (!peer || peer_is_slow) continue;
      const auto start = Clock::now();
      theirs.push_back(peer->messages_per_s(each.theirs) / (of_steps ? each.messages_a_step : 1));
      peer_is_slow = seconds_since(start) > kSlowPeer_s;
    }
    Result row = result_of(each.name, of_steps ? "steps/s" : "messages/s", Better::more, ours);
    set_peer(row, "SimGrid", theirs);
    row.note = of_steps ? fmt::format("{:.0f} messages/s", median(messages_a_second).value())
                        : fmt::format("{:.4f} s a step", median(seconds_a_step).value());
    report.add(std::move(row));
  }
}

// With 31.4 KB, unless the name gives another size.
std::string row_name(const std::string& kind, int workers, bool large) {
  return fmt::format("sim/{}/{}{}", kind, workers, large ? "/25MB" : "");
}

void bench_server(const Options& options, Report& report) {
  std::vector<Measured> all;
  for (const char* strategy : {"sync", "async"}) {
    for (const bool large : {false, true}) {
      for (const int workers : {8, 64, 512, 2048}) {
        if (options.smoke && workers > 8) continue;
        const std::int64_t steps = options.smoke ? 10 : 400'000 / workers;
        const std::int64_t peer_steps = std::max<std::int64_t>(4, 40'000 / workers);
        all.push_back({row_name(fmt::format("star/{}", strategy), workers, large),
                       [=] {
                         Case each = star(strategy, workers, steps);
                         if (large) use_large_model(each.scenario);
                         return each;
                       },
                       fmt::format("sg_ps {} {} {} {}", strategy, workers,
                                   large ? 25'000'000 : 31'400, peer_steps)});
      }
    }
  }
  compare(all, options, report);
}

// Small sums of a power of two workers use a hypercube; the peer always uses a ring.
void bench_ring(const Options& options, Report& report) {
  struct Ring {
    bool large;
    int workers;
  };
  std::vector<Measured> all;
  for (const Ring& ring :
       {Ring{false, 63}, Ring{false, 64}, Ring{false, 511}, Ring{false, 512}, Ring{false, 1'024},
        Ring{true, 64}, Ring{true, 511}, Ring{true, 512}, Ring{true, 1'024}}) {
    const int workers = ring.workers;
    if (options.smoke && (ring.large || workers > 63)) continue;
    const std::int64_t steps = options.smoke ? 1 : 400'000 / workers / workers + 1;
    all.push_back(
        {row_name("ring", workers, ring.large),
         [=] {
           Case each = star("all_reduce", workers, steps);
           if (ring.large) use_large_model(each.scenario);
           each.scenario.cluster.hosts[0].count = workers;
           return each;
         },
         fmt::format("sg_ring {} {} {}", workers, ring.large ? 25'000'000 : 31'400, steps),
         2.0 * workers * (workers - 1)});
  }
  compare(all, options, report);
}

// Seconds per round; largest memory of a round, in GB.
struct Sized {
  std::vector<double> seconds;
  std::vector<double> memory_gb;
  std::int64_t messages = 0;
};

Sized simulate_rounds(const Case& each, int rounds) {
  Sized sized;
  for (int round = 0; round < rounds; ++round) {
    const Timed timed = simulate_once(each);
    sized.seconds.push_back(timed.wall_s);
    sized.memory_gb.push_back(static_cast<double>(timed.peak_kb) * 1024 * 1e-9);
    sized.messages = timed.messages;
  }
  return sized;
}

void add_large(const Options& options, Report& report, const std::string& name, const Case& each) {
  const Sized sized = simulate_rounds(each, options.rounds);
  Result row = result_of("sim/large/" + name, "s", Better::less, sized.seconds);
  const TrainingSpec& training = each.scenario.training;
  row.note = fmt::format("{} steps, {} shards, {:.0f} MB, {:.3f} us a message", training.steps,
                         training.servers, median(sized.memory_gb).value() * 1e3,
                         row.figure / static_cast<double>(sized.messages) * 1e6);
  report.add(std::move(row));
}

void bench_large(const Options& options, Report& report) {
  struct Large {
    std::string model;
    int servers;
  };
  const auto case_of = [&](const Large& large, int workers, std::int64_t steps) {
    Case each = star("sync", workers, options.smoke ? 2 : steps);
    each.scenario.model.name = large.model;
    each.scenario.training.servers = large.servers;
    each.scenario.cluster.hosts[0].count = workers + large.servers;
    return each;
  };
  for (const Large& large : {Large{"softmax", 1}, Large{"lenet", 8}}) {
    for (const int workers : {100, 1'000, 10'000}) {
      if (options.smoke && workers > 100) continue;
      add_large(options, report, fmt::format("{}/{}", large.model, workers),
                case_of(large, workers, 100));
    }
  }
  for (const int devices : {32, 128, 512, 4'096}) {
    const std::string name = fmt::format("alike/{}", devices);
    if (!options.smoke || devices < 512) add_large(options, report, name, alike_devices(devices));
  }
  // A calibrated machine as users have it: a server has thousands of buffers in its caches.
  for (const int workers : {100, 2'000}) {
    if (options.smoke && workers > 100) continue;
    Case each = case_of({"lenet", 8}, workers, 20);
    each.scenario.cluster.hosts[0].compute = {};
    each.scenario.cluster.hosts[0].machine = "calibrated";
    add_large(options, report, fmt::format("calibrated/lenet/{}", workers), each);
  }
}

void bench_huge(const Options& options, Report& report) {
  const int workers = options.smoke ? 100 : 100'000;
  Case each = star("sync", workers, options.smoke ? 2 : 20);
  each.scenario.dataset.take = 2 * workers;  // at least one example per worker
  each.scenario.cluster.topology = "leaf_spine";
  each.scenario.cluster.leaf_spine.hosts_per_leaf = 40;
  each.scenario.cluster.leaf_spine.spines = 4;
  const Sized sized = simulate_rounds(each, options.rounds);
  const std::string name = fmt::format("sim/huge/softmax/{}", workers);
  report.add(result_of(name, "s", Better::less, sized.seconds));
  report.add(result_of(name + "/memory", "GB", Better::less, sized.memory_gb));
}

// Real gradients in virtual time: the overhead of the simulation over the gradients alone.
void bench_numerics(const Options& options, Report& report) {
  Case each = star("async", 64, 1);
  Scenario& scenario = each.scenario;
  scenario.numerics = true;
  scenario.dataset.take = options.smoke ? 2'000 : 60'000;
  scenario.training.steps = 0;
  scenario.training.epochs = options.smoke ? 1 : 2;
  const auto training = prepare(each, Need::examples).training;
  std::vector<double> ratios;
  for (int round = 0; round < options.rounds; ++round) {
    const Timed timed = simulate_once(each);
    const auto start = Clock::now();
    Stream augment(1, "data.augment");
    std::vector<float> values(static_cast<std::size_t>(training->network->parameters()));
    std::vector<float> gradient(values.size());
    const auto workspace = training->network->make_workspace(Stream(1, "dropout"));
    Serial serial;
    Batch batch;
    for (int worker = 0; worker < training->workers; ++worker) {
      Sampler sampler(training->data->train->examples(), worker, training->workers,
                      training->batch_size, 1);
      for (std::int64_t step = 0; step < training->steps; ++step) {
        training->data->train->gather(sampler.next(), &augment, batch);
        training->network->gradient(values, batch, gradient, *workspace, serial);
      }
    }
    ratios.push_back((timed.wall_s - timed.prepared_s) / seconds_since(start));
  }
  Result row = result_of("sim/numerics/softmax/64", "times", Better::less, ratios);
  row.note =
      fmt::format("what the gradients of {} examples take alone",
                  scenario.dataset.take * static_cast<std::int64_t>(scenario.training.epochs));
  report.add(std::move(row));
}

// Wakes itself until the count is used up.
struct Ticker : sim::Actor {
  sim::Engine* engine = nullptr;
  std::int64_t left = 0;
  void wake(Instant now, std::uint64_t token) override {
    if (--left > 0) {
      const auto ahead = static_cast<std::int64_t>(token % 7 + 1);
      engine->schedule(now + Duration{ahead}, {this, token + 1});
    }
  }
};

void bench_engine(const Options& options, Report& report) {
  const std::int64_t events = options.smoke ? 20'000 : 2'000'000;
  for (const std::uint64_t queued : {10U, 1'000U, 10'000U}) {
    std::vector<double> rates;
    for (int round = 0; round < options.rounds; ++round) {
      sim::Engine engine;
      Ticker ticker;
      ticker.engine = &engine;
      ticker.left = events;
      for (std::uint64_t i = 0; i < queued; ++i) engine.schedule({}, {&ticker, i});
      const auto start = Clock::now();
      engine.run();
      const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
      rates.push_back(static_cast<double>(events) / seconds);
    }
    report.add(result_of(fmt::format("sim/engine/{}", queued), "events/s", Better::more, rates));
  }
}

struct Group {
  const char* name;
  void (*bench)(const Options& options, Report& report);
  bool asked_only = false;  // slow: runs only if --only names it
};
constexpr Group kGroups[] = {{"engine", bench_engine},     {"server", bench_server},
                             {"ring", bench_ring},         {"large", bench_large},
                             {"numerics", bench_numerics}, {"sweep", time_sweep},
                             {"first", time_first_answer}, {"huge", bench_huge, true}};

}  // namespace

void simulations(const std::vector<std::string>& arguments, Report& report) {
  std::vector<std::string> names;
  names.reserve(std::size(kGroups));
  for (const Group& group : kGroups) names.emplace_back(group.name);
  const Options options =
      read_options(arguments, {"--smoke", "--only", "--rounds", "--peer"}, names);
  for (const Group& group : kGroups) {
    const bool now = !group.asked_only || options.smoke || !options.only.empty();
    if (now && options.wants(group.name)) group.bench(options, report);
  }
}

}  // namespace foretrain::bench
