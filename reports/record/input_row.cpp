#include "reports/record/input_row.h"

namespace foretrain {

InputRow row_of(NodeId node, Instant time, const Input& input) {
  InputRow row;
  row.node = index_of(node);
  row.time = time;
  if (const auto* received = std::get_if<Received>(&input)) {
    row.kind = InputRow::Kind::received;
    row.peer = index_of(received->from);
    row.step = received->message.step.value;
    row.bucket = received->message.bucket;
    row.message = static_cast<std::uint16_t>(received->message.kind);
  } else if (const auto* computed = std::get_if<Computed>(&input)) {
    row.kind = InputRow::Kind::computed;
    row.id = static_cast<std::uint64_t>(computed->job);
    row.took = computed->took;
  } else if (const auto* timer = std::get_if<TimerFired>(&input)) {
    row.kind = InputRow::Kind::timer;
    row.id = static_cast<std::uint64_t>(timer->timer);
  } else if (const auto* lost = std::get_if<PeerLost>(&input)) {
    row.kind = InputRow::Kind::lost;
    row.peer = index_of(lost->peer);
  } else if (const auto* back = std::get_if<PeerBack>(&input)) {
    row.kind = InputRow::Kind::back;
    row.peer = index_of(back->peer);
    row.id = static_cast<std::uint64_t>(back->incarnation);
  }
  return row;
}

bool matches(const InputRow& row, const Input& input) {
  InputRow other = row_of(NodeId(row.node), row.time, input);
  return other == row;
}

}  // namespace foretrain
