// An append-only file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace foretrain {

/// Text is handed to the kernel before `append` returns, so it survives the end of this process.
/// @throws WriteError that names the file if the disk is full; the text written before remains
class AppendFile {
 public:
  /// Creates or truncates the file. `called`: its name in errors; empty means the path.
  explicit AppendFile(std::filesystem::path path, std::string called = {});
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;
  ~AppendFile();

  void append(std::string_view text);
  /// Overwrites the beginning of the file with `text`.
  void put_first(std::string_view text);

 private:
  [[noreturn]] void fail() const;

  std::filesystem::path path_;
  std::string called_;
  int file_;
};

}  // namespace foretrain
