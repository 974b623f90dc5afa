// Benchmarks: they print times, nobody asserts them.
#include "exec/calibration/ping_pong.h"
#include "exec/system/process.h"
#include "tests/bench/exec.h"
#include "tests/bench/link_use.h"
#include "tests/bench/load.h"
#include "tests/bench/models.h"
#include "tests/bench/products.h"
#include "tests/bench/sim.h"
#include "tests/bench/tls.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <string>
#include <vector>

namespace foretrain {
namespace {
void bench_transport(bool smoke) {
  const std::vector<int> cores = exec::usable_cores();
  const int rounds = smoke ? 20 : 3'000;
  for (const Bytes payload : {Bytes{0}, Bytes{31'400}}) {
    for (const bool polling : {false, true}) {
      const auto trip = exec::measure_round_trip(
          cores.front(), cores.back(),
          {.payload = payload, .rounds = rounds, .rest = {}, .polling = polling},
          exec::Hosts({}, false));
      fmt::print("round trip {:6} bytes, {}   {:8.1f} us\n", payload.value,
                 polling ? "polling " : "sleeping", trip.time_s * 1e6);
    }
  }
}

bool smoke_in(const std::vector<std::string>& arguments) {
  return std::ranges::count(arguments, "--smoke") > 0;
}

int part_or_error(const std::string& part, const std::vector<std::string>& arguments) {
  try {
    if (part == "sim") return bench::simulations(arguments);
    if (part == "load") return bench::load(arguments);
    if (part == "tls") return bench::tls(arguments);
    if (part == "products") {
      bench::products(smoke_in(arguments));
      return 0;
    }
    return part == "models" ? bench::models(arguments) : bench::exec_runs(arguments);
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 2;
  }
}

}  // namespace
}  // namespace foretrain

int main(int argc, char** argv) {
  using namespace foretrain;
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const bool smoke = smoke_in(arguments);
  const std::vector<std::string> parts{"models", "products", "exec", "sim", "load", "tls"};
  if (!arguments.empty() && std::ranges::count(parts, arguments.front()) > 0) {
    return part_or_error(arguments.front(), {arguments.begin() + 1, arguments.end()});
  }
  if (!arguments.empty() && arguments.front() != "--smoke") {
    fmt::print(stderr, "error: {}: there are {}, each with options of its own; --smoke\n",
               arguments.front(), fmt::join(parts, ", "));
    return 2;
  }
  bench::models({"--smoke"});
  bench::exec_runs({"--smoke"});
  bench::products(smoke);
  bench::simulations(smoke ? std::vector<std::string>{"--smoke"} : std::vector<std::string>{});
  bench_transport(smoke);
  bench::link_use(smoke);
  bench::load({"--smoke"});
  bench::tls({"--smoke"});
  return 0;
}
