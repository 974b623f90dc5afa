#include "exec/system/pause_probes.h"

#include "exec/system/reference_kernel.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <new>
#include <system_error>

namespace foretrain::exec {
namespace {
using Clock = std::chrono::steady_clock;

constexpr int kNowhere = -1;
constexpr int kRoundTrips = 32;
constexpr int kTries = 3;             // of which the quickest counts
constexpr int kFirstLooks = 1 << 15;  // some 15 us: who polls has looked by then
constexpr int kLooks = 1 << 16;       // some 30 us, longer than an interrupt takes
constexpr double kMostOfTime = 0.01;  // between two looks, of the time so far
enum WhoseTurn : int { nobody, of_asked, of_asking };

double now_s() { return std::chrono::duration<double>(Clock::now().time_since_epoch()).count(); }

// Whose turn it is once it is not `whose` any more, or after so many looks.
int after(const std::atomic<int>& turn, int whose, int looks) {
  int now = whose;
  for (int i = 0; i < looks && now == whose; ++i) now = turn.load(std::memory_order_acquire);
  return now;
}

}  // namespace

// Alone in its line, and in the one that is fetched beside it.
struct alignas(128) PauseProbes::Seat {
  std::atomic<int> turn{nobody};
  std::atomic<int> core{kNowhere};
};

// The seats of the nodes follow.
struct alignas(128) PauseProbes::Page {
  std::atomic<std::size_t> count{0};
  double begun_s = 0;
  double last_s = 0;
  std::array<Sample, kMostSamples> samples{};
};

std::size_t PauseProbes::size() const { return sizeof(Page) + nodes_ * sizeof(Seat); }

PauseProbes::PauseProbes(std::size_t nodes) : nodes_(nodes) {
  file_ = memfd_create("foretrain_pause_probes", 0);  // those who are started inherit it
  if (file_ < 0) throw std::system_error(errno, std::generic_category(), "memfd_create");
  if (ftruncate(file_, static_cast<off_t>(size())) != 0) {
    const int error = errno;
    close(file_);
    throw std::system_error(error, std::generic_category(), "ftruncate");
  }
  map();
  new (page_) Page();
  for (std::size_t i = 0; i < nodes_; ++i) new (seats_ + i) Seat();
  page_->begun_s = now_s();
}

PauseProbes::PauseProbes(int file, std::size_t nodes) : file_(file), nodes_(nodes) { map(); }

void PauseProbes::map() {
  void* const place = mmap(nullptr, size(), PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
  if (place == MAP_FAILED) {
    const int error = errno;
    close(file_);
    throw std::system_error(error, std::generic_category(), "mmap");
  }
  page_ = static_cast<Page*>(place);
  seats_ = reinterpret_cast<Seat*>(page_ + 1);
}

PauseProbes::~PauseProbes() {
  munmap(page_, size());
  close(file_);
}

std::unique_ptr<PauseProbes> PauseProbes::of_descriptor(int descriptor) {
  struct stat status {};
  if (fstat(descriptor, &status) != 0) return nullptr;
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size < sizeof(Page) || (size - sizeof(Page)) % sizeof(Seat) != 0) return nullptr;
  const int own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  if (own < 0) return nullptr;
  return std::unique_ptr<PauseProbes>(new PauseProbes(own, (size - sizeof(Page)) / sizeof(Seat)));
}

void PauseProbes::join(std::size_t node) {
  if (node >= nodes_) return;
  cpu_set_t cores;
  CPU_ZERO(&cores);
  // Where a thread may move, nobody knows which two cores were looked at.
  const bool stays = sched_getaffinity(0, sizeof(cores), &cores) == 0 && CPU_COUNT(&cores) == 1;
  seats_[node].core = stays ? sched_getcpu() : kNowhere;
}

bool PauseProbes::asked(std::size_t node) const {
  return node < nodes_ && seats_[node].turn.load(std::memory_order_acquire) == of_asked;
}

void PauseProbes::hand_back(std::size_t node) {
  std::atomic<int>& turn = seats_[node].turn;
  do {
    turn.store(of_asking, std::memory_order_release);
  } while (after(turn, of_asking, kLooks) == of_asked);
}

// Of the next one that polls on another core; 0: nobody does.
double PauseProbes::handover_from(std::size_t node) {
  const int here = seats_[node].core;
  if (here == kNowhere) return 0;
  for (std::size_t i = 0; i < nodes_; ++i) {
    Seat& seat = seats_[next_++ % nodes_];
    if (seat.core == kNowhere || seat.core == here) continue;
    double quickest_s = 0;
    bool answered = true;
    for (int tries = 0; tries < kTries && answered; ++tries) {
      seat.turn.store(of_asked, std::memory_order_release);
      answered = after(seat.turn, of_asked, kFirstLooks) == of_asking;
      const double start_s = now_s();
      for (int trip = 0; trip < kRoundTrips && answered; ++trip) {
        seat.turn.store(of_asked, std::memory_order_release);
        answered = after(seat.turn, of_asked, kLooks) == of_asking;
      }
      const double handover_s = (now_s() - start_s) / (2 * kRoundTrips);
      if (answered && (quickest_s == 0 || handover_s < quickest_s)) quickest_s = handover_s;
    }
    seat.turn.store(nobody, std::memory_order_release);
    if (quickest_s > 0) return quickest_s;
  }
  return 0;
}

void PauseProbes::look(std::size_t node) {
  if (node >= nodes_) return;
  const std::size_t count = page_->count.load(std::memory_order_relaxed);
  const double at_s = now_s();
  const double rest_s = std::max(kPause_s, kMostOfTime * (at_s - page_->begun_s));
  if (count == kMostSamples || (count > 0 && at_s - page_->last_s < rest_s)) return;
  page_->last_s = at_s;
  // The others first: they wait for this node now, and have the next message to see to soon.
  const double handover_s = handover_from(node);
  page_->samples.data()[count] = {quick_reference(), handover_s};
  page_->count.store(count + 1, std::memory_order_release);
}

std::vector<PauseProbes::Sample> PauseProbes::samples() const {
  const std::size_t count = page_->count.load(std::memory_order_acquire);
  return {page_->samples.begin(), page_->samples.begin() + static_cast<std::ptrdiff_t>(count)};
}

}  // namespace foretrain::exec
