// A recorder records everything if it has a history, else nothing.
#include "sim/history/recorder.h"

#include <catch2/catch.hpp>

namespace foretrain::sim {
namespace {

TEST_CASE("recorder: without a history nothing is kept and every activity is the beginning") {
  const Recorder none;
  CHECK(!none.keeps());
  none.go_on_from(7);
  CHECK(none.current() == 0);
  CHECK(none.add({Instant{0}, Instant{5}, 3, 0, 1, Resource::latency, false}) == 0);
  CHECK(none.ask(NodeId{1}, Instant{0}, CostBreakdown(Resource::apply)) == History::kNoTask);
  none.updated();
  none.ended(none.add_core(), none.add_thread(), History::kNoTask, Instant{5});
}

TEST_CASE("recorder: copies tell the same history") {
  History history;
  const Recorder first(&history);
  const Recorder second = first;
  const ActivityId activity =
      first.add({Instant{0}, Instant{5}, 0, 0, 4, Resource::latency, false});
  second.go_on_from(activity);
  CHECK(first.current() == activity);
  CHECK(second.node_of(activity) == 4);
  second.updated();
  CHECK(history.last() == activity);
}

}  // namespace
}  // namespace foretrain::sim
