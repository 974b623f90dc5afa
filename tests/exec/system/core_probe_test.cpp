// A look at the cores that this machine has.
#include "exec/system/core_probe.h"

#include "exec/system/process.h"

#include <catch2/catch.hpp>

namespace foretrain::exec {

TEST_CASE("core probe: two cores have a distance, whatever it is") {
  const auto cores = usable_cores();
  const CoreProbe probe = probe_cores(cores, {});
  CHECK(probe.alone_s > 0);
  if (cores.size() < 2) return;
  CHECK(probe.together_s > 0);
  CHECK(probe.shared_line_s > 0);
  // On cores that others keep busy it may not be found.
  CHECK(probe.distance.has_value() == (probe.handover_s > 0));
  CHECK(probe.distance.has_value() == (probe.byte_s > 0));
}

// Each hand-over takes a slice then, and a probe has three thousand of them.
TEST_CASE("core probe: two threads that are never there at once are not waited for") {
  const int core = usable_cores().front();
  CHECK_FALSE(probe_pair(core, core).has_value());
}

TEST_CASE("core probe: one core alone has a speed and no distance") {
  const CoreProbe probe = probe_cores({usable_cores().front()}, {});
  CHECK(probe.alone_s > 0);
  CHECK(probe.together_s == 0);
  CHECK(probe.handover_s == 0);
  CHECK_FALSE(probe.distance);
}

TEST_CASE("core probe: who looks stays on the cores where it was") {
  const auto cores = usable_cores();
  probe_cores(cores, {});
  CHECK(usable_cores() == cores);
}

}  // namespace foretrain::exec
