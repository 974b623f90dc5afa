// Bytes through memory of two processes: they come as they were put, or not at all.
#include "exec/transport/shared_ring.h"

#include "models/base/random.h"
#include "tests/support/temp_folder.h"

#include <catch2/catch.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <vector>

using namespace foretrain;
using namespace foretrain::exec;

namespace {

std::vector<std::byte> numbered(std::size_t count, int from) {
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i) {
    bytes[i] = static_cast<std::byte>((static_cast<std::size_t>(from) + i) % 251);
  }
  return bytes;
}

}  // namespace

TEST_CASE("shared ring: bytes come in order, round the end too, and none where there is no room") {
  const auto writer = RingWriter::make({1'000});
  REQUIRE(writer);
  const auto reader = RingReader::open(writer->offer());
  REQUIRE(reader);
  CHECK_FALSE(writer->ready());
  writer->accepted();
  CHECK(writer->ready());
  const std::uint64_t seed = 5;
  CAPTURE(seed);
  Stream draw(seed, "sizes");
  std::deque<std::vector<std::byte>> waiting;
  std::size_t held = 0;
  int refused = 0;
  for (int i = 0; i < 2'000; ++i) {
    auto bytes = numbered(draw.below(700), i);
    const bool fits = held + bytes.size() <= 1'000;
    REQUIRE(writer->put(bytes) == fits);
    if (fits) {
      held += bytes.size();
      waiting.push_back(std::move(bytes));
    }
    refused += fits ? 0 : 1;
    if (fits && draw.below(2) == 0) continue;
    std::vector<std::byte> got(waiting.empty() ? 0 : waiting.front().size());
    REQUIRE(reader->take(got));
    if (waiting.empty()) continue;
    REQUIRE(got == waiting.front());
    held -= got.size();
    waiting.pop_front();
  }
  CHECK(refused > 100);
}

TEST_CASE("shared ring: more than was put is not there") {
  const auto writer = RingWriter::make({1'000});
  const auto reader = RingReader::open(writer->offer());
  REQUIRE(reader);
  REQUIRE(writer->put(numbered(10, 1)));
  std::vector<std::byte> got(11);
  CHECK_FALSE(reader->take(got));
  got.resize(2'000);
  CHECK_FALSE(reader->take(got));
  got.resize(10);
  CHECK(reader->take(got));
  CHECK(got == numbered(10, 1));
}

TEST_CASE("shared ring: the memory of another process, which may be gone") {
  const auto writer = RingWriter::make({100'000});
  REQUIRE(writer);
  const auto bytes = numbered(60'000, 7);
  const pid_t child = fork();
  if (child == 0) {
    const auto reader = RingReader::open(writer->offer());
    std::vector<std::byte> got(bytes.size());
    bool equal = reader != nullptr;
    for (int i = 0; equal && i < 3; ++i) {
      while (!reader->take(got)) usleep(100);
      equal = got == bytes;
    }
    _exit(equal ? 0 : 1);
  }
  REQUIRE(child > 0);
  int status = 1;
  bool gone = false;
  for (int i = 0; i < 3; ++i) {
    while (!gone && !writer->put(bytes)) gone = waitpid(child, &status, WNOHANG) == child;
  }
  if (!gone) waitpid(child, &status, 0);
  CHECK(status == 0);
  CHECK(writer->put(bytes));
}

TEST_CASE("shared ring: an offer that is not of such memory opens nothing") {
  const auto writer = RingWriter::make({1'000});
  RingOffer offer = writer->offer();
  const auto opens = [&] { return RingReader::open(offer) != nullptr; };
  CHECK(opens());
  ++offer.password[1];  // of another process that has such a descriptor: a container's numbers
  CHECK_FALSE(opens());
  offer = writer->offer();
  offer.bytes = 2'000;
  CHECK_FALSE(opens());
  for (const std::int64_t bytes : {std::int64_t{-1}, std::int64_t{0}, std::int64_t{1} << 62}) {
    offer.bytes = bytes;
    CHECK_FALSE(opens());
  }
  offer = writer->offer();
  for (const int descriptor : {0, -1, 100'000}) {
    offer.descriptor = descriptor;
    CHECK_FALSE(opens());
  }
  offer = writer->offer();
  writer->accepted();  // which closes it
  CHECK_FALSE(opens());
}

TEST_CASE("shared ring: a file that has the size of a ring, its first bytes, its name is none") {
  const auto writer = RingWriter::make({1'000});
  RingOffer offer = writer->offer();
  std::vector<std::byte> bytes(4'096 + 1'000);
  std::memcpy(bytes.data(), offer.password.data(), sizeof offer.password);
  const TempFolder folder;
  const auto opens = [&](int descriptor) {
    REQUIRE(descriptor >= 0);
    REQUIRE(write(descriptor, bytes.data(), bytes.size()) == std::ssize(bytes));
    offer.descriptor = descriptor;
    const bool opened = RingReader::open(offer) != nullptr;
    close(descriptor);
    return opened;
  };
  CHECK_FALSE(opens(open((folder / "memfd:foretrain").c_str(), O_RDWR | O_CREAT, 0600)));
  CHECK_FALSE(opens(memfd_create("foretrain", MFD_CLOEXEC | MFD_ALLOW_SEALING)));  // not sealed
  CHECK_FALSE(opens(memfd_create("another", MFD_CLOEXEC | MFD_ALLOW_SEALING)));
}
