// Costs of messages, of gradients on a machine, from its figures.
#include "scenarios/spec/machine.h"

#include "models/base/check.h"

#include <fmt/format.h>

#include <algorithm>

namespace foretrain {

Duration ModelCost::gradient_of(double examples) const {
  if (!gradient_times.empty()) return interpolated(gradient_times, examples);
  return gradient.of(examples);
}

Duration interpolated(const std::vector<BatchTime>& times, double examples) {
  FT_CHECK(!times.empty());
  const BatchTime& last = times.back();
  if (times.size() == 1) {
    return Duration::from_seconds(last.time.seconds() * examples / last.examples);
  }
  std::size_t upper = 1;
  while (upper + 1 < times.size() && examples > times[upper].examples) ++upper;
  const BatchTime& a = times[upper - 1];
  const BatchTime& b = times[upper];
  const double slope = (b.time - a.time).seconds() / (b.examples - a.examples);
  return Duration::from_seconds(std::max(0.0, a.time.seconds() + slope * (examples - a.examples)));
}

namespace {

// The size in bytes of a long message: each of the first kShortMessageBytes bytes counts as
// `short_message_factor`.
double in_bytes_of_long(Bytes size, double short_message_factor) {
  const Bytes first = std::min(size, kShortMessageBytes);
  return static_cast<double>(size.value) -
         (1 - short_message_factor) * static_cast<double>(first.value);
}

}  // namespace

std::string Machine::title() const {
  if (others_used <= 0) return name;
  return fmt::format("{} (noisy: other programs took {:.0f} % of it when it was calibrated)", name,
                     100 * others_used);
}

Duration TransportCost::sending(Bytes size) const {
  return send.of(in_bytes_of_long(size, short_message_factor));
}

Duration TransportCost::receiving(Bytes size) const {
  return receive.of(in_bytes_of_long(size, short_message_factor));
}

TransportCost TransportCost::on_one_core() const {
  TransportCost cost = *this;
  if (one_core_byte_s > 0) cost.send.per_item_s = cost.receive.per_item_s = one_core_byte_s / 2;
  cost.short_message_factor = one_core_short_message_factor;
  return cost;
}

}  // namespace foretrain
