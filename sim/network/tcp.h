// What TCP adds to a message: headers, a slow start.
#pragma once

#include "models/base/ethernet.h"
#include "models/base/time.h"

#include <cstdint>

namespace foretrain::sim {

using ethernet::kHeaders;
using ethernet::kSegment;

/// Bytes of a message with the headers of its packets.
constexpr std::int64_t framed(std::int64_t bytes) {
  return bytes + kHeaders * ((bytes + kSegment - 1) / kSegment);
}

/// The window of a connection, in rounds of a round trip each: a round sends a window at the rate
/// that the path gives, then waits for the first acknowledgement, if that is still to come, and
/// doubles the window (RFC 5681, 3.1; the first window of 10 segments: RFC 6928). Once a window
/// takes a round trip or longer, acknowledgements come back while it is sent: the path is full, and
/// nothing waits any more. A connection that rests for a retransmission timeout begins anew, a
/// halving for each (RFC 2861; Linux: at least 200 ms).
///
/// Realism: no loss, so no congestion avoidance; the receiver's window never binds.
class SlowStart {
 public:
  /// `round_trip` zero: no window ever binds.
  explicit SlowStart(Duration round_trip) : round_trip_(round_trip) {}

  /// Something is to be sent after a rest.
  void begin(Instant now);
  /// How many bytes may be sent before `next_round`.
  [[nodiscard]] double allowance() const { return full_ ? kUnlimited : allowance_; }
  /// So many have been sent, the last of them now.
  void sent(double bytes, Instant now);
  /// When more may be sent, where the allowance is used up.
  [[nodiscard]] Instant next_round() const { return round_ + round_trip_; }
  void begin_round(Instant now);

 private:
  static constexpr double kUnlimited = 1e18;
  static constexpr double kFirstWindow = 10.0 * (kSegment + kHeaders);
  static constexpr Duration kTimeout{200'000'000};

  Duration round_trip_;
  double window_ = kFirstWindow;
  double allowance_ = kFirstWindow;  // of this round
  Instant round_;                    // its begin
  Instant last_;                     // when the last byte was sent
  bool full_ = false;
};

}  // namespace foretrain::sim
