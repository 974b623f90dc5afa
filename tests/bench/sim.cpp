#include "tests/bench/sim.h"

#include "exec/calibration/forked.h"
#include "exec/system/process.h"
#include "models/data/sampler.h"
#include "reports/record/statistics.h"
#include "scenarios/prepared.h"
#include "sim/driver/simulate.h"
#include "sim/engine/engine.h"
#include "tests/bench/peer.h"

#include <fmt/format.h>

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <stdexcept>

namespace foretrain::bench {
namespace {
using Clock = std::chrono::steady_clock;

struct Options {
  bool smoke = false;
  bool peer = false;
  int rounds = 3;
  std::vector<std::string> only;
};

Options parse(const std::vector<std::string>& arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "--smoke") {
      options.smoke = true;
    } else if (argument == "--peer") {
      options.peer = true;
    } else if (argument == "--rounds" && i + 1 < arguments.size()) {
      options.rounds = std::stoi(arguments[++i]);
    } else if (argument == "--only" && i + 1 < arguments.size()) {
      options.only = split(arguments[++i]);
    } else {
      throw std::runtime_error(argument + ": unknown; --smoke, --only, --rounds, --peer");
    }
  }
  if (options.smoke) options.rounds = 1;
  return options;
}

// What the peer simulates: hosts around a switch, 10 Gbit/s and 25 us each, gradients of 10 ms, 0.1
// ms to apply one.
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

// Softmax is 31.4 KB; a perceptron of 7,861 hidden units is 25 MB.
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

struct Timed {
  double wall_s = 0;
  std::int64_t messages = 0;
  std::int64_t peak_kb = 0;
};

// In a process of its own, so that its memory is its own.
Timed simulate_once(const Case& scenario_case) {
  return exec::Forked<Timed>(exec::usable_cores().front(),
                             [&] {
                               const auto start = Clock::now();
                               sim::SimulateOptions options;
                               options.machines = [](const std::string&) { return peer_machine(); };
                               options.usage_interval = {};
                               options.summary_only = true;
                               const Prepared prepared = prepare(
                                   scenario_case, need_of_simulation(scenario_case.scenario));
                               const Record record = sim::simulate(prepared, options);
                               Timed timed;
                               timed.wall_s =
                                   std::chrono::duration<double>(Clock::now() - start).count();
                               for (const NodeTotals& node : record.nodes)
                                 timed.messages += node.messages_sent;
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

struct Measured {
  std::string name;
  std::function<Case()> ours;
  std::string theirs;
};

void compare(const std::vector<Measured>& all, const Options& options) {
  const std::optional<Peer> peer = options.peer ? std::optional<Peer>(std::in_place) : std::nullopt;
  for (const Measured& each : all) {
    std::vector<double> ours;
    std::vector<double> theirs;
    std::vector<double> seconds_a_step;
    for (int round = 0; round < options.rounds; ++round) {
      const Case measured = each.ours();
      const Timed timed = simulate_once(measured);
      ours.push_back(static_cast<double>(timed.messages) / timed.wall_s);
      seconds_a_step.push_back(timed.wall_s /
                               static_cast<double>(measured.scenario.training.steps));
      if (peer) theirs.push_back(peer->messages_per_s(each.theirs));
    }
    fmt::print("{:24} {:9.0f} thousand messages/s, {:8.4f} s a step", each.name,
               median(ours).value() * 1e-3, median(seconds_a_step).value());
    if (peer) {
      fmt::print(", SimGrid {:7.0f}, ratio {:6.1f}", median(theirs).value() * 1e-3,
                 median(ours).value() / median(theirs).value());
    }
    fmt::print("\n");
    std::fflush(stdout);  // a row as it comes, also down a pipe
  }
}

void bench_server(const Options& options) {
  std::vector<Measured> all;
  for (const char* strategy : {"sync", "async"}) {
    for (const bool large : {false, true}) {
      for (const int workers : {8, 64, 512, 2048}) {
        if (options.smoke && workers > 8) continue;
        const std::int64_t steps = options.smoke ? 10 : 400'000 / workers;
        const std::int64_t peer_steps = std::max<std::int64_t>(4, 40'000 / workers);
        all.push_back(
            {fmt::format("{} {}, {} workers", strategy, large ? "25 MB" : "31.4 KB", workers),
             [=] {
               Case each = star(strategy, workers, steps);
               if (large) use_large_model(each.scenario);
               return each;
             },
             fmt::format("sg_ps {} {} {} {}", strategy, workers, large ? 25'000'000 : 31'400,
                         peer_steps)});
      }
    }
  }
  compare(all, options);
}

// Of a power of two, small buckets go over a hypercube; the peer's always go round the ring.
void bench_ring(const Options& options) {
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
        {fmt::format("all-reduce {}, {} workers", ring.large ? "25 MB" : "31.4 KB", workers),
         [=] {
           Case each = star("all_reduce", workers, steps);
           if (ring.large) use_large_model(each.scenario);
           each.scenario.cluster.hosts[0].count = workers;
           return each;
         },
         fmt::format("sg_ring {} {} {}", workers, ring.large ? 25'000'000 : 31'400, steps)});
  }
  compare(all, options);
}

void bench_large(const Options& options) {
  struct Large {
    std::string model;
    int servers;
  };
  for (const Large& large : {Large{"softmax", 1}, Large{"lenet", 8}}) {
    for (const int workers : {100, 1'000, 10'000}) {
      if (options.smoke && workers > 100) continue;
      Case each = star("sync", workers, options.smoke ? 2 : 100);
      each.scenario.model.name = large.model;
      each.scenario.training.servers = large.servers;
      each.scenario.cluster.hosts[0].count = workers + large.servers;
      std::vector<double> times;
      Timed timed;
      for (int round = 0; round < options.rounds; ++round) {
        timed = simulate_once(each);
        times.push_back(timed.wall_s);
      }
      fmt::print(
          "{:8} {} shard{} {:6} workers, 100 steps {:8.3f} s {:5.0f} MB, {:6.3f} us a message\n",
          large.model, large.servers, large.servers == 1 ? ", " : "s,", workers,
          median(times).value(), static_cast<double>(timed.peak_kb) / 1024,
          median(times).value() / static_cast<double>(timed.messages) * 1e6);
    }
  }
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Real gradients in virtual time: what the simulation adds to what they take by themselves.
void bench_numerics(const Options& options) {
  Case each = star("async", 64, 1);
  Scenario& scenario = each.scenario;
  scenario.numerics = true;
  scenario.dataset.take = options.smoke ? 2'000 : 60'000;
  scenario.training.steps = 0;
  scenario.training.epochs = options.smoke ? 1 : 2;
  const auto training = prepare(each, Need::examples).training;
  std::vector<double> ratios;
  for (int round = 0; round < options.rounds; ++round) {
    auto start = Clock::now();
    prepare(each, Need::examples);
    const double load_s = seconds_since(start);
    const Timed timed = simulate_once(each);

    start = Clock::now();
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
    ratios.push_back((timed.wall_s - load_s) / seconds_since(start));
  }
  fmt::print("64 async workers, softmax, {} examples: {:.2f} times what the gradients take alone\n",
             scenario.dataset.take * static_cast<std::int64_t>(scenario.training.epochs),
             median(ratios).value());
}

// Wakes itself as long as there is something left to count.
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

void bench_engine(const Options& options) {
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
    fmt::print("engine, {:6} events in queue {:8.2f} million events/s\n", queued,
               median(rates).value() * 1e-6);
  }
}

struct Group {
  const char* name;
  void (*bench)(const Options& options);
};
constexpr Group kGroups[] = {{"engine", bench_engine},
                             {"server", bench_server},
                             {"ring", bench_ring},
                             {"large", bench_large},
                             {"numerics", bench_numerics}};

}  // namespace

int simulations(const std::vector<std::string>& arguments) {
  const Options options = parse(arguments);
  std::vector<std::string> names;
  names.reserve(std::size(kGroups));
  for (const Group& group : kGroups) names.emplace_back(group.name);
  check_only(options.only, names);
  for (const Group& group : kGroups) {
    const bool wanted = options.only.empty() || std::ranges::count(options.only, group.name) > 0;
    if (wanted) group.bench(options);
  }
  return 0;
}

}  // namespace foretrain::bench
