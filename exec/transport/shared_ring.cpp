#include "exec/transport/shared_ring.h"

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
#include <string>
#include <string_view>
#include <utility>

namespace foretrain::exec {
namespace {

constexpr std::size_t kLine = 64;       // of a cache: the two ends write into different ones
constexpr std::size_t kBuffer = 4'096;  // where it begins: at a page
constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW;
constexpr const char* kName = "foretrain";

// Of a link in /proc: opening something else may wait, or do what a device does when it is opened.
bool leads_to_ring(const std::string& path) {
  const std::string there = fmt::format("/memfd:{}", kName);
  std::array<char, 64> target{};
  const ssize_t length = readlink(path.c_str(), target.data(), target.size());
  if (length <= 0) return false;
  return std::string_view(target.data(), static_cast<std::size_t>(length)).starts_with(there);
}

// The memory of an ordinary file may be cut off, that of huge pages may be missing.
bool is_sealed_memory(int descriptor, std::int64_t size) {
  const int seals = fcntl(descriptor, F_GET_SEALS);
  struct statfs system {};
  struct stat status {};
  return seals >= 0 && (seals & kSeals) == kSeals && fstatfs(descriptor, &system) == 0 &&
         system.f_type == TMPFS_MAGIC && fstat(descriptor, &status) == 0 &&
         status.st_size == static_cast<off_t>(kBuffer) + size;
}

}  // namespace

// Numbers of bytes since the beginning.
struct SharedRing::Shared {
  std::array<std::uint64_t, 2> password{};
  alignas(kLine) std::atomic<std::uint64_t> written{0};
  alignas(kLine) std::atomic<std::uint64_t> read{0};
};

SharedRing::SharedRing(int descriptor, Bytes size)
    : descriptor_(descriptor), size_(static_cast<std::size_t>(size.value)) {
  static_assert(sizeof(Shared) <= kBuffer && std::atomic<std::uint64_t>::is_always_lock_free);
  void* const memory =
      mmap(nullptr, kBuffer + size_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
  if (memory != MAP_FAILED) shared_ = static_cast<Shared*>(memory);
}

SharedRing::~SharedRing() {
  close_descriptor();
  if (shared_ != nullptr) munmap(shared_, kBuffer + size_);
}

void SharedRing::close_descriptor() {
  if (descriptor_ >= 0) close(std::exchange(descriptor_, -1));
}

std::span<std::byte> SharedRing::at(std::uint64_t number, std::size_t count) const {
  const std::size_t place = number % size_;
  return {reinterpret_cast<std::byte*>(shared_) + kBuffer + place, std::min(count, size_ - place)};
}

// The writer -------------------------------------------------------------------------------------

std::unique_ptr<RingWriter> RingWriter::make(Bytes size) {
  const int descriptor = memfd_create(kName, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (descriptor < 0) return nullptr;
  std::unique_ptr<RingWriter> writer;
  if (ftruncate(descriptor, static_cast<off_t>(kBuffer) + size.value) == 0 &&
      fcntl(descriptor, F_ADD_SEALS, kSeals) == 0) {
    writer.reset(new RingWriter(descriptor, size));
  } else {
    close(descriptor);
  }
  if (!writer || !writer->mapped()) return nullptr;
  auto& shared = *new (&writer->shared()) Shared;
  constexpr std::size_t kPassword = sizeof shared.password;
  if (getrandom(shared.password.data(), kPassword, 0) != kPassword) return nullptr;
  writer->offer_ = {getpid(), descriptor, size.value, shared.password};
  return writer;
}

void RingWriter::accepted() {
  ready_ = true;
  close_descriptor();
}

bool RingWriter::put(std::span<const std::byte> bytes) {
  const std::uint64_t waiting = written_ - shared().read.load(std::memory_order_acquire);
  if (waiting > size() || bytes.size() > size() - waiting) return false;
  const std::span<std::byte> first = at(written_, bytes.size());
  std::memcpy(first.data(), bytes.data(), first.size());
  const std::span<const std::byte> rest = bytes.subspan(first.size());
  if (!rest.empty()) std::memcpy(at(0, rest.size()).data(), rest.data(), rest.size());
  written_ += bytes.size();
  shared().written.store(written_, std::memory_order_release);
  return true;
}

// The reader -------------------------------------------------------------------------------------

std::unique_ptr<RingReader> RingReader::open(const RingOffer& offer) {
  constexpr std::int64_t kMost = std::int64_t{1} << 32;
  if (offer.bytes <= 0 || offer.bytes > kMost) return nullptr;
  const std::string path = fmt::format("/proc/{}/fd/{}", offer.process, offer.descriptor);
  if (!leads_to_ring(path)) return nullptr;
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) return nullptr;
  if (!is_sealed_memory(descriptor, offer.bytes)) {
    close(descriptor);
    return nullptr;
  }
  std::unique_ptr<RingReader> reader(new RingReader(descriptor, {offer.bytes}));
  reader->close_descriptor();
  const bool same = reader->mapped() && reader->shared().password == offer.password;
  return same ? std::move(reader) : nullptr;
}

bool RingReader::take(std::span<std::byte> to) {
  const std::uint64_t there = shared().written.load(std::memory_order_acquire) - read_;
  if (to.size() > there || to.size() > size()) return false;
  const std::span<const std::byte> first = at(read_, to.size());
  std::memcpy(to.data(), first.data(), first.size());
  const std::span<std::byte> rest = to.subspan(first.size());
  if (!rest.empty()) std::memcpy(rest.data(), at(0, rest.size()).data(), rest.size());
  read_ += to.size();
  shared().read.store(read_, std::memory_order_release);
  return true;
}

}  // namespace foretrain::exec
