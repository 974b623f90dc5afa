#include "exec/driver/loop_queue.h"

#include <boost/asio/buffer.hpp>

#include <sys/eventfd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace foretrain::exec {
namespace {

int new_eventfd() {
  const int descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (descriptor < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
  return descriptor;
}

}  // namespace

LoopQueue::LoopQueue(boost::asio::io_context& loop) : woken_(loop, new_eventfd()) {}

void LoopQueue::expect() {
  ++expected_;
  if (!waiting_) wait();
}

void LoopQueue::wait() {
  waiting_ = true;
  woken_.async_read_some(boost::asio::buffer(&count_, sizeof(count_)),
                         [this](boost::system::error_code error, std::size_t) {
                           if (error) return;  // closed; this object may be gone
                           waiting_ = false;
                           do_all();
                         });
}

void LoopQueue::hand_over(Work work) {
  {
    const std::lock_guard lock(mutex_);
    handed_over_.push_back(std::move(work));
  }
  eventfd_write(woken_.native_handle(), 1);
}

void LoopQueue::do_all() {
  std::vector<Work> works;
  {
    const std::lock_guard lock(mutex_);
    works.swap(handed_over_);
  }
  expected_ -= static_cast<int>(works.size());
  if (expected_ > 0) wait();
  for (const Work& work : works) {
    if (!woken_.is_open()) return;
    work();
  }
}

void LoopQueue::close() { woken_.close(); }

}  // namespace foretrain::exec
