// Looks at cores while a training goes on.
#include "exec/system/pause_probes.h"

#include "exec/system/process.h"
#include "tests/support/cases.h"
#include "tests/support/real_run.h"

#include <catch2/catch.hpp>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace foretrain::exec {
namespace {

TEST_CASE("pause probes: whoever polls on another core hands a line back") {
  const std::vector<int> cores = usable_cores();
  if (cores.size() < 2) {
    WARN("skipped: one core");
    return;
  }
  PauseProbes probes(3);
  std::atomic<bool> polls{false};
  std::atomic<bool> over{false};
  std::thread other([&] {
    pin_to_cores({cores[1]});
    probes.join(2);
    polls = true;
    while (!over) probes.answer(2);
  });
  std::thread chief([&] {
    pin_to_cores({cores[0]});
    probes.join(0);
    while (!polls) std::this_thread::yield();
    // Others may have the second core for a while.
    for (int i = 0; i < 100 && (i == 0 || probes.samples().back().handover_s == 0); ++i) {
      probes.look(0);
      std::this_thread::sleep_for(std::chrono::milliseconds(110));
    }
    over = true;
  });
  chief.join();
  other.join();
  REQUIRE(!probes.samples().empty());
  CHECK(probes.samples().back().handover_s > 0);
  CHECK(probes.samples().back().reference_s > 0);
}

TEST_CASE("pause probes: a node that joins again finds them again, until their launcher is gone") {
  int descriptor = -1;
  {
    const PauseProbes probes(2);
    descriptor = probes.descriptor();
    for (int i = 0; i < 2; ++i) CHECK(PauseProbes::of_descriptor(descriptor) != nullptr);
  }
  CHECK(PauseProbes::of_descriptor(descriptor) == nullptr);
}

TEST_CASE("pause probes: where nobody polls elsewhere the distance is not known") {
  const auto begin = std::chrono::steady_clock::now();
  PauseProbes probes(2);
  std::thread([&] {
    pin_to_cores({usable_cores().front()});
    probes.join(0);
    probes.join(1);  // on the same core
    probes.look(0);
  }).join();
  REQUIRE(probes.samples().size() == 1);
  CHECK(probes.samples()[0].handover_s == 0);
  CHECK(probes.samples()[0].reference_s > 0);
  probes.look(0);
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
  const bool too_early = passed.count() < PauseProbes::kPause_s;
  if (too_early) CHECK(probes.samples().size() == 1);
}

TEST_CASE("pause probes: a run looks at its cores when it evaluates") {
  Case scenario_case = testing::small_case("sync", 2, 20);
  scenario_case.scenario.training.evaluate_every = 5;
  RunOptions options;
  options.probe = true;
  const Record run = testing::real_run(scenario_case, options);
  REQUIRE(run.probes.size() >= 3);  // before, at the first evaluation, after
  // With another core that polls, or alone.
  CHECK((run.probes[1].together_s > 0) == (run.probes[1].handover_s > 0));
  CHECK((run.probes[1].alone_s > 0) != (run.probes[1].together_s > 0));
}

}  // namespace
}  // namespace foretrain::exec
