// TCP's effect on a message: headers, slow start.
#pragma once

#include "models/base/ethernet.h"
#include "models/base/time.h"

#include <cstdint>

namespace foretrain::sim {

using ethernet::kHeaders;
using ethernet::kSegment;

/// Bytes of a message including the headers of its packets.
constexpr std::int64_t framed(std::int64_t bytes) {
  return bytes + kHeaders * ((bytes + kSegment - 1) / kSegment);
}

/// The congestion window of a connection in slow start. Each round takes a round-trip time: it
/// sends a window at the path's rate, then waits for the first acknowledgement if that is still to
/// come, and doubles the window (RFC 5681, 3.1; initial window of 10 segments: RFC 6928). Once
/// sending a window takes a round trip or longer, acknowledgements arrive while it is sent: the
/// path is full, and sending never waits again. A connection that was idle for a retransmission
/// timeout restarts slow start, with the window halved for each timeout (RFC 2861; Linux: at least
/// 200 ms).
///
/// Realism: no loss, so no congestion avoidance; the receiver's window never limits.
class SlowStart {
 public:
  /// With a `round_trip` of zero no window ever limits.
  explicit SlowStart(Duration round_trip) : round_trip_(round_trip) {}

  /// Sending resumes after an idle time.
  void begin(Instant now);
  /// Bytes that may be sent before `next_round`.
  [[nodiscard]] double allowance() const { return full_ ? kUnlimited : allowance_; }
  /// `bytes` have been sent, the last of them now.
  void sent(double bytes, Instant now);
  /// When more may be sent after the allowance is used up.
  [[nodiscard]] Instant next_round() const { return round_ + round_trip_; }
  void begin_round(Instant now);

 private:
  static constexpr double kUnlimited = 1e18;
  static constexpr double kFirstWindow = 10.0 * (kSegment + kHeaders);
  static constexpr Duration kTimeout{200'000'000};

  Duration round_trip_;
  double window_ = kFirstWindow;
  double allowance_ = kFirstWindow;  // of this round
  Instant round_;                    // when it began
  Instant last_;                     // when the last byte was sent
  bool full_ = false;
};

}  // namespace foretrain::sim
