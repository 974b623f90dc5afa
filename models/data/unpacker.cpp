// Unpacks with zlib from memory to memory.
#include "models/data/unpacker.h"

#include "models/base/check.h"
#include "models/data/refuse.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace foretrain {

Unpacker::Unpacker(std::span<const std::uint8_t> file, std::string path)
    : file_(file), path_(std::move(path)) {
  packed_ = at_stream();
  constexpr int kGzip = 16;  // added to the window bits: a gzip header instead of zlib's
  if (packed_) FT_CHECK_OP(inflateInit2(&stream_, kGzip + MAX_WBITS), ==, Z_OK);
}

Unpacker::~Unpacker() {
  if (packed_) inflateEnd(&stream_);
}

bool Unpacker::at_stream() const {
  return file_.size() - consumed_ >= 2 && file_[consumed_] == 0x1f && file_[consumed_ + 1] == 0x8b;
}

std::size_t Unpacker::unpack(std::span<std::uint8_t> into) {
  constexpr std::size_t kPiece = std::numeric_limits<uInt>::max();
  std::size_t made = 0;
  while (made < into.size() && !ended_) {
    const std::size_t left = file_.size() - consumed_;
    stream_.next_in = const_cast<Bytef*>(file_.data() + consumed_);  // type of zlib; it only reads
    stream_.avail_in = static_cast<uInt>(std::min(left, kPiece));
    stream_.next_out = into.data() + made;
    stream_.avail_out = static_cast<uInt>(std::min(into.size() - made, kPiece));
    const auto [offered, room] = std::pair(stream_.avail_in, stream_.avail_out);
    const int status = inflate(&stream_, Z_NO_FLUSH);
    consumed_ += offered - stream_.avail_in;
    made += room - stream_.avail_out;
    if (status == Z_STREAM_END) {
      // Streams may follow one another. Other data is skipped, as by gunzip.
      ended_ = !at_stream();
      if (!ended_) FT_CHECK_OP(inflateReset(&stream_), ==, Z_OK);
    } else if (status == Z_BUF_ERROR ||
               (status == Z_OK && consumed_ == file_.size() && stream_.avail_out != 0)) {
      break;  // the file ends too early
    } else if (status != Z_OK) {
      refuse(path_, "its gzip stream is corrupt after {} bytes ({}); {}",
             grouped(position_ + static_cast<std::int64_t>(made)),
             stream_.msg == nullptr ? "a dictionary is required" : stream_.msg,
             "the file is damaged, fetch it again");
    }
  }
  return made;
}

std::size_t Unpacker::read(std::span<std::uint8_t> into) {
  std::size_t made = 0;
  if (packed_) {
    made = unpack(into);
  } else {
    made = std::min(into.size(), file_.size() - consumed_);
    std::copy_n(file_.data() + consumed_, made, into.data());
    consumed_ += made;
  }
  position_ += static_cast<std::int64_t>(made);
  return made;
}

void Unpacker::expect_end() {
  const std::int64_t promised = position_;
  std::uint8_t surplus = 0;
  if (read({&surplus, 1}) != 0) {
    refuse(path_, "has more than the {} bytes that its header announces; {}", grouped(promised),
           "the file is damaged, fetch it again");
  }
  if (packed_ && !ended_) {
    refuse(path_, "ends inside the checksum of its gzip stream; the file is truncated, {}",
           "fetch it again");
  }
}

}  // namespace foretrain
