// Shared memory of two processes: valid, invalid offers.
#include "exec/transport/shared_ring.h"

#include "tests/exec/transport/pair.h"
#include "tests/support/temp_folder.h"

#include <catch2/catch.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace foretrain::exec {
namespace {

TEST_CASE("shared ring: another process sends and receives, and may be gone before all is read") {
  SocketPair pair;
  MemoryOffer offer;
  const auto memory = make_memory({100'000}, offer);
  REQUIRE(memory);
  const pid_t child = fork();
  constexpr std::size_t kSize = 60'000;
  if (child == 0) {
    const auto opened = open_memory(offer);
    if (!opened || ::write(pair.right.native_handle(), "!", 1) != 1) _exit(1);
    boost::asio::io_context loop{1};
    boost::asio::ip::tcp::socket own(loop, boost::asio::ip::tcp::v4(),
                                     dup(pair.right.native_handle()));
    auto stream = memory_stream(socket_stream(std::move(own)), opened);
    std::vector<std::byte> got(3 * kSize);
    ByteStream::Error error;
    for (std::size_t done = 0; done < got.size(); usleep(100)) {
      done += stream->read_some({boost::asio::buffer(got) + done}, error);
      if (error && error != boost::asio::error::would_block) _exit(2);
    }
    const bool equal = std::ranges::equal(std::span(got).last(kSize), noise(kSize, 2).bytes());
    const Payload last = noise(kSize, 9);
    stream->write_some({boost::asio::buffer(last.bytes().data(), kSize)}, error);
    _exit(equal ? 0 : 3);
  }
  REQUIRE(child > 0);
  pair.right.close();
  char has_opened = 0;
  REQUIRE(read(pair.left.native_handle(), &has_opened, 1) == 1);
  auto stream = memory_stream(socket_stream(std::move(pair.left)), memory);
  ByteStream::Error error;
  for (std::size_t i = 0; i < 3; ++i) {
    const Payload payload = noise(kSize, i);
    ByteStream::Parts rest{boost::asio::buffer(payload.bytes().data(), kSize)};
    while (boost::asio::buffer_size(rest) > 0) consume(rest, stream->write_some(rest, error));
  }
  int status = 1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  std::vector<std::byte> got(kSize);
  CHECK(stream->read_some({boost::asio::buffer(got)}, error) == kSize);
  CHECK(std::ranges::equal(got, noise(kSize, 9).bytes()));
  while (stream->read_some({boost::asio::buffer(got)}, error) == 0 && !error) {
  }
  CHECK(error == boost::asio::error::eof);
}

TEST_CASE("shared ring: an offer that is not of such memory opens nothing") {
  MemoryOffer offer;
  const auto memory = make_memory({1'000}, offer);
  const MemoryOffer good = offer;
  const auto opens = [&] { return open_memory(offer) != nullptr; };
  CHECK(opens());
  ++offer.password[1];  // as with another process that has this descriptor: a container's numbers
  CHECK_FALSE(opens());
  for (const std::int64_t bytes :
       {std::int64_t{-1}, std::int64_t{0}, std::int64_t{2'000}, std::int64_t{1} << 62}) {
    offer = good;
    offer.bytes = bytes;
    CHECK_FALSE(opens());
  }
  for (const int descriptor : {0, -1, 100'000}) {
    offer = good;
    offer.descriptor = descriptor;
    CHECK_FALSE(opens());
  }
  offer = good;
  SocketPair pair;
  memory_stream(socket_stream(std::move(pair.left)), memory);  // which closes the descriptor
  CHECK_FALSE(opens());
}

TEST_CASE("shared ring: a file that has the size of a ring, its first bytes, its name is none") {
  MemoryOffer offer;
  const auto memory = make_memory({1'000}, offer);
  std::vector<std::byte> bytes(4'096 + 2 * 1'000);
  std::memcpy(bytes.data(), offer.password.data(), sizeof offer.password);
  const TempFolder folder;
  const auto opens = [&](int descriptor) {
    REQUIRE(descriptor >= 0);
    REQUIRE(::write(descriptor, bytes.data(), bytes.size()) == std::ssize(bytes));
    offer.descriptor = descriptor;
    const bool opened = open_memory(offer) != nullptr;
    close(descriptor);
    return opened;
  };
  CHECK_FALSE(opens(open((folder / "memfd:foretrain").c_str(), O_RDWR | O_CREAT, 0600)));
  CHECK_FALSE(opens(memfd_create("foretrain", MFD_CLOEXEC | MFD_ALLOW_SEALING)));  // not sealed
  CHECK_FALSE(opens(memfd_create("another", MFD_CLOEXEC | MFD_ALLOW_SEALING)));
}

}  // namespace
}  // namespace foretrain::exec
