// Work that a thread hands over to an event loop: order, nested work, its end.
#include "exec/driver/loop_queue.h"

#include <boost/asio/io_context.hpp>
#include <catch2/catch.hpp>

#include <thread>
#include <vector>

namespace foretrain::exec {
namespace {

TEST_CASE("loop queue: what a thread hands over is done on the loop, in its order") {
  constexpr int kPieces = 1000;
  boost::asio::io_context loop;
  LoopQueue queue(loop);
  const auto here = std::this_thread::get_id();
  std::vector<int> done;
  bool elsewhere = false;
  for (int i = 0; i < kPieces; ++i) queue.expect();
  std::thread other([&] {
    for (int i = 0; i < kPieces; ++i) {
      queue.hand_over([&, i] {
        done.push_back(i);
        elsewhere = elsewhere || std::this_thread::get_id() != here;
      });
    }
  });
  loop.run();  // returns because nothing more is expected
  other.join();
  REQUIRE(done.size() == kPieces);
  for (int i = 0; i < kPieces; ++i) CHECK(done[static_cast<std::size_t>(i)] == i);
  CHECK_FALSE(elsewhere);
}

TEST_CASE("loop queue: work may expect more work") {
  boost::asio::io_context loop;
  LoopQueue queue(loop);
  int done = 0;
  queue.expect();
  queue.hand_over([&] {
    ++done;
    queue.expect();
    queue.hand_over([&] { ++done; });
  });
  loop.run();
  CHECK(done == 2);
}

TEST_CASE("loop queue: once closed it does nothing more, and the loop has nothing to wait for") {
  boost::asio::io_context loop;
  LoopQueue queue(loop);
  int done = 0;
  queue.expect();
  queue.expect();
  queue.hand_over([&] {
    ++done;
    queue.close();
  });
  queue.hand_over([&] { ++done; });
  loop.run();
  CHECK(done == 1);
}

}  // namespace
}  // namespace foretrain::exec
