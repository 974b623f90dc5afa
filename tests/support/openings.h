// Counts how often a file is opened, by any process.
#pragma once

#include <catch2/catch.hpp>

#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <string>

namespace foretrain {

/// Counts from its construction, by inotify events of the kernel.
class Openings {
 public:
  /// Watches closing too, because the kernel merges two equal consecutive events.
  explicit Openings(const std::string& path) : notices_(inotify_init1(IN_NONBLOCK)) {
    REQUIRE(notices_ >= 0);
    REQUIRE(inotify_add_watch(notices_, path.c_str(), IN_OPEN | IN_CLOSE) >= 0);
  }
  ~Openings() { close(notices_); }
  Openings(const Openings&) = delete;
  Openings& operator=(const Openings&) = delete;

  /// Number of openings since the last call.
  int count() {
    int opened = 0;
    alignas(inotify_event) std::array<char, 4096> buffer{};
    for (ssize_t got = 0; (got = read(notices_, buffer.data(), buffer.size())) > 0;) {
      for (ssize_t at = 0; at < got;) {
        const auto* notice =
            reinterpret_cast<const inotify_event*>(buffer.data() + static_cast<std::size_t>(at));
        if ((notice->mask & IN_OPEN) != 0) ++opened;
        at += static_cast<ssize_t>(sizeof(inotify_event) + notice->len);
      }
    }
    return opened;
  }

 private:
  int notices_;
};

}  // namespace foretrain
