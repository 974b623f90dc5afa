// Reads bytes from front to back, unpacking gzip.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <span>
#include <string>

namespace foretrain {

/// The data of a file, plain or packed: its content decides, not its name.
class Unpacker {
 public:
  /// `file` must outlast this; `path` is for errors.
  Unpacker(std::span<const std::uint8_t> file, std::string path);
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;
  ~Unpacker();

  /// Fills `into` as far as there is data; returns the bytes read.
  /// @throws DataError if the gzip stream is corrupt
  std::size_t read(std::span<std::uint8_t> into);

  /// The next byte must be the end of the data, with the right checksum. @throws DataError
  void expect_end();

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] bool packed() const { return packed_; }
  /// Bytes of data read so far.
  [[nodiscard]] std::int64_t position() const { return position_; }
  /// Bytes of the file.
  [[nodiscard]] std::int64_t file_bytes() const { return static_cast<std::int64_t>(file_.size()); }

 private:
  /// The next bytes of the file start a gzip stream.
  [[nodiscard]] bool at_stream() const;
  std::size_t unpack(std::span<std::uint8_t> into);

  std::span<const std::uint8_t> file_;
  std::string path_;
  std::size_t consumed_ = 0;  ///< bytes of the file
  std::int64_t position_ = 0;
  bool packed_ = false;
  bool ended_ = false;  ///< packed: all streams have ended, with correct checksums
  z_stream stream_{};
};

}  // namespace foretrain
