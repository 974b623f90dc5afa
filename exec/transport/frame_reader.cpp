#include "exec/transport/frame_reader.h"

#include "models/base/check.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace foretrain::exec {

std::array<std::span<std::byte>, 2> FrameReader::room() {
  if (begin_ > 0) {
    std::copy(aside_.begin() + static_cast<std::ptrdiff_t>(begin_),
              aside_.begin() + static_cast<std::ptrdiff_t>(end_), aside_.begin());
    end_ -= std::exchange(begin_, 0);
  }
  const std::span<std::byte> rest =
      in_payload_ ? payload_.writable_bytes().subspan(filled_) : std::span<std::byte>();
  return {rest, std::span(aside_).subspan(end_)};
}

// Its first bytes may have come with the header; those in the ring are there before it.
const char* FrameReader::begin_payload() {
  in_payload_ = true;
  payload_ = Payload::allocate({static_cast<std::int64_t>(header_.payload_bytes)});
  filled_ = 0;
  if (header_.in_ring) {
    if (ring_ == nullptr) return "it announced a payload in memory that it does not share";
    if (!ring_->take(payload_.writable_bytes())) return "its payload is not in the shared memory";
    filled_ = missing();
    return nullptr;
  }
  filled_ = std::min(end_ - begin_, missing());
  if (filled_ > 0) std::memcpy(payload_.writable_bytes().data(), aside_.data() + begin_, filled_);
  begin_ += filled_;
  return nullptr;
}

const char* FrameReader::take(std::size_t count, const OnFrame& on_frame) {
  if (in_payload_) {
    const std::size_t direct = std::min(count, missing());
    filled_ += direct;
    count -= direct;
  }
  end_ += count;
  FT_CHECK_OP(end_, <=, kAside);
  while (true) {
    if (in_payload_) {
      if (missing() > 0) return nullptr;
      in_payload_ = false;
      if (!on_frame(header_, std::exchange(payload_, {}))) return nullptr;
      continue;
    }
    if (end_ - begin_ < sizeof(HeaderBytes)) return nullptr;
    HeaderBytes bytes;
    std::memcpy(bytes.data(), aside_.data() + begin_, bytes.size());
    begin_ += bytes.size();
    const DecodedHeader decoded = decode(bytes, most_payload_);
    if (decoded.error != nullptr) return decoded.error;
    header_ = decoded.header;
    if (const char* wrong = begin_payload()) return wrong;
  }
}

}  // namespace foretrain::exec
