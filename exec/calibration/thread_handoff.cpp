// Additional time of a job on a thread other than the event loop.
#include "exec/calibration/cores.h"
#include "exec/calibration/forked.h"
#include "exec/driver/event_loop.h"
#include "exec/driver/node_driver.h"
#include "reports/record/statistics.h"
#include "scenarios/spec/machine.h"

#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>
#include <vector>

namespace foretrain::exec {
namespace {
using Clock = std::chrono::steady_clock;

// Requests one empty job after another; their cost decides where they run.
class Asking : public Node {
 public:
  Asking(Flops flops, std::vector<double>& took_s) : took_s_(took_s) { cost_.flops = flops; }

  void handle(Instant /*now*/, Input input, Effects& effects) override {
    const Clock::time_point now = Clock::now();
    if (std::holds_alternative<Computed>(input)) {
      took_s_.push_back(std::chrono::duration<double>(now - asked_).count());
    }
    if (took_s_.size() == kJobs) {
      effects.emplace_back(Finished{});
      return;
    }
    asked_ = Clock::now();
    effects.emplace_back(Compute{Job{JobId{0}, JobKind::reduce, 0, cost_, {}, {}}});
  }

 private:
  static constexpr std::size_t kJobs = 2'000;
  Cost cost_;
  std::vector<double>& took_s_;
  Clock::time_point asked_;
};

// Median time of such a job.
double job_seconds(Flops flops) {
  std::vector<double> took_s;
  boost::asio::io_context loop;
  DriverHooks hooks;
  hooks.finished = [&loop](const Finished& /*finished*/) { loop.stop(); };
  NodeDriver driver(loop, NodeId{0}, std::make_unique<Asking>(flops, took_s), std::move(hooks));
  driver.start();
  run_polling(loop, kPoll, [&driver] { return driver.computing(); });
  return median(took_s).value();
}

}  // namespace

double measure_thread_handoff(int core) {
  constexpr Flops kNone{0};
  constexpr Flops kMany{1e12};
  const double on_loop = Forked<double>(core, [&] { return job_seconds(kNone); }).get();
  const double on_thread = Forked<double>(core, [&] { return job_seconds(kMany); }).get();
  return std::max(0.0, on_thread - on_loop);
}

}  // namespace foretrain::exec
