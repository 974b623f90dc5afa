#include "exec/transport/shared_ring.h"

#include <boost/asio/post.hpp>
#include <fmt/format.h>

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>
#include <span>
#include <string>
#include <utility>

namespace foretrain::exec {
namespace asio = boost::asio;

namespace {

constexpr std::size_t kCacheLine = 64;  // the processes write into different lines of a cache
constexpr std::size_t kRings = 4'096;   // offset of the rings: a page
constexpr std::size_t kRingPiece = 256 * 1024;  // bytes after which the other process is notified
constexpr int kPiecesATurn = 16;  // pieces per turn, then other connections have theirs
constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW;
constexpr const char* kName = "foretrain";

std::size_t bytes_of(Bytes ring) { return kRings + 2 * static_cast<std::size_t>(ring.value); }

// Whether a link in /proc leads to such memory. Opening anything else could block, or trigger a
// device.
bool leads_to_memory(const std::string& path) {
  std::array<char, 64> target{};
  const ssize_t length = readlink(path.c_str(), target.data(), target.size() - 1);
  return length > 0 && std::string(target.data()).starts_with(fmt::format("/memfd:{}", kName));
}

// An ordinary file could be truncated, huge pages could be missing.
bool is_sealed_memory(int descriptor, Bytes ring) {
  const int seals = fcntl(descriptor, F_GET_SEALS);
  struct statfs system {};
  struct stat status {};
  return seals >= 0 && (seals & kSeals) == kSeals && fstatfs(descriptor, &system) == 0 &&
         system.f_type == TMPFS_MAGIC && fstat(descriptor, &status) == 0 &&
         status.st_size == static_cast<off_t>(bytes_of(ring));
}

}  // namespace

// The process that created the memory writes the first ring.
class SharedMemory {
  // One direction. `written` and `read` count bytes since the beginning.
  struct Ring {
    alignas(kCacheLine) std::atomic<std::uint64_t> written{0};
    alignas(kCacheLine) std::atomic<std::uint64_t> read{0};
    alignas(kCacheLine) std::atomic<std::uint32_t> wanted{0};  // 1 if the writer waits for room
  };

 public:
  struct Layout {
    std::array<std::uint64_t, 2> password{};
    std::array<Ring, 2> rings{};
  };
  static_assert(sizeof(Layout) <= kRings && std::atomic<std::uint64_t>::is_always_lock_free);

  SharedMemory(int descriptor, Bytes ring, bool maker)
      : descriptor_(descriptor), size_(static_cast<std::size_t>(ring.value)), maker_(maker) {
    void* const memory =
        mmap(nullptr, bytes_of(ring), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
    if (memory != MAP_FAILED) layout_ = static_cast<Layout*>(memory);
  }
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory() {
    close_descriptor();
    if (layout_ != nullptr) munmap(layout_, kRings + 2 * size_);
  }

  /// The memory exists as long as one process has it mapped.
  void close_descriptor() {
    if (descriptor_ >= 0) close(std::exchange(descriptor_, -1));
  }
  [[nodiscard]] Layout* layout() const { return layout_; }

  /// Copies at most a piece from the beginning of `parts`; returns the number of bytes, and removes
  /// them.
  std::size_t put(ByteStream::Parts& parts) {
    const std::uint64_t waiting = written_ - out().read.load(std::memory_order_acquire);
    const std::size_t room = size_ - std::min<std::size_t>(size_, waiting);
    const std::size_t done = std::min({asio::buffer_size(parts), room, kRingPiece});
    asio::buffer_copy(at(maker_, written_, done), parts);
    consume(parts, done);
    written_ += done;
    out().written.store(written_, std::memory_order_release);
    return done;
  }
  /// True if there is no room; the reader sees that this process waits for it.
  [[nodiscard]] bool full() {
    out().wanted.store(1);  // each process writes its word, then reads the other's
    return written_ - out().read.load() >= size_;
  }

  [[nodiscard]] bool readable() const {
    return in().written.load(std::memory_order_acquire) != read_;
  }
  /// Fills `room` from its beginning with at most a piece; returns the number of bytes, and removes
  /// them.
  std::size_t take(ByteStream::Room& room) {
    const std::uint64_t waiting = in().written.load(std::memory_order_acquire) - read_;
    const std::size_t done =
        std::min({asio::buffer_size(room), static_cast<std::size_t>(waiting), size_, kRingPiece});
    asio::buffer_copy(room, at(!maker_, read_, done));
    consume(room, done);
    read_ += done;
    in().read.store(read_);
    return done;
  }
  /// The writer waited for room, and half of the ring is free: waking it for less costs more.
  [[nodiscard]] bool wanted() {
    return in().wanted.load() != 0 && in().written.load() - read_ <= size_ / 2 &&
           in().wanted.exchange(0) != 0;
  }

 private:
  /// Position of `count` bytes from `number` on: up to the ring's end, then at its beginning.
  [[nodiscard]] ByteStream::Room at(bool of_maker, std::uint64_t number, std::size_t count) const {
    std::byte* const ring = reinterpret_cast<std::byte*>(layout_) + kRings + (of_maker ? 0 : size_);
    const std::size_t place = number % size_;
    const std::size_t first = std::min(count, size_ - place);
    return {asio::buffer(ring + place, first), asio::buffer(ring, count - first)};
  }
  [[nodiscard]] Ring& out() const { return layout_->rings[maker_ ? 0 : 1]; }
  [[nodiscard]] Ring& in() const { return layout_->rings[maker_ ? 1 : 0]; }

  int descriptor_;
  std::size_t size_;
  bool maker_;
  Layout* layout_ = nullptr;
  std::uint64_t written_ = 0;
  std::uint64_t read_ = 0;
};

std::shared_ptr<SharedMemory> make_memory(Bytes ring, MemoryOffer& offer) {
  const int descriptor = memfd_create(kName, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (descriptor < 0) return nullptr;
  const bool fixed = ftruncate(descriptor, static_cast<off_t>(bytes_of(ring))) == 0 &&
                     fcntl(descriptor, F_ADD_SEALS, kSeals) == 0;
  auto made = std::make_shared<SharedMemory>(descriptor, ring, true);
  if (!fixed || made->layout() == nullptr) return nullptr;
  auto& password = (new (made->layout()) SharedMemory::Layout)->password;
  if (getrandom(password.data(), sizeof password, 0) != sizeof password) return nullptr;
  offer = {getpid(), descriptor, ring.value, password};
  return made;
}

std::shared_ptr<SharedMemory> open_memory(const MemoryOffer& offer) {
  constexpr std::int64_t kMost = std::int64_t{1} << 32;
  if (offer.bytes <= 0 || offer.bytes > kMost) return nullptr;
  const std::string path = fmt::format("/proc/{}/fd/{}", offer.process, offer.descriptor);
  if (!leads_to_memory(path)) return nullptr;
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) return nullptr;
  const bool sealed = is_sealed_memory(descriptor, {offer.bytes});
  auto opened = std::make_shared<SharedMemory>(descriptor, Bytes{offer.bytes}, false);
  const bool same =
      sealed && opened->layout() != nullptr && opened->layout()->password == offer.password;
  return same ? opened : nullptr;
}

namespace {

class MemoryStream final : public ByteStream {
 public:
  MemoryStream(OwnedStream socket, std::shared_ptr<SharedMemory> memory)
      : socket_(std::move(socket)), memory_(std::move(memory)) {
    memory_->close_descriptor();
  }

  std::size_t read_some(const Room& room, Error& error) override {
    error = {};
    Room rest = room;
    if (!memory_->readable()) socket_->read_some({asio::buffer(nudges_)}, error);
    for (int turn = 0; turn < kPiecesATurn && memory_->take(rest) > 0; ++turn) {
      if (memory_->wanted()) nudge();
    }
    const std::size_t done = asio::buffer_size(room) - asio::buffer_size(rest);
    if (error == asio::error::connection_reset) error = asio::error::eof;  // only nudges were lost
    if (done > 0) error = {};
    return done;
  }

  std::size_t write_some(const Parts& parts, Error& error) override {
    if (owed_) nudge();
    Parts rest = parts;
    bool full = false;
    for (int turn = 0; turn < kPiecesATurn && !full && asio::buffer_size(rest) > 0; ++turn) {
      if (memory_->put(rest) > 0) {
        nudge();
      } else {
        full = memory_->full();
      }
    }
    const bool more = !full && asio::buffer_size(rest) > 0;
    error = owed_ || more ? asio::error::would_block : Error();
    return asio::buffer_size(parts) - asio::buffer_size(rest);
  }

  void async_wait(Wait wait, std::function<void()> done) override {
    const bool read = wait == Wait::wait_read;
    Error ignored;  // the next read reports it, too
    if (read && !memory_->readable()) socket_->read_some({asio::buffer(nudges_)}, ignored);
    if (read && memory_->readable()) return asio::post(executor(), std::move(done));
    socket_->async_wait(wait, std::move(done));
  }
  void close() override { socket_->close(); }
  [[nodiscard]] Executor executor() override { return socket_->executor(); }

 private:
  // Notifies the other process that it has something to read, or room to write. One unread byte is
  // enough, but the socket has to take it.
  void nudge() {
    Error error;
    socket_->write_some({asio::buffer("!", 1)}, error);
    owed_ = error == asio::error::would_block;
  }

  OwnedStream socket_;
  std::shared_ptr<SharedMemory> memory_;
  std::array<std::byte, 256> nudges_{};
  bool owed_ = false;
};

}  // namespace

OwnedStream memory_stream(OwnedStream socket, std::shared_ptr<SharedMemory> memory) {
  return std::make_unique<MemoryStream>(std::move(socket), std::move(memory));
}

}  // namespace foretrain::exec
