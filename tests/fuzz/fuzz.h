// Shared parts of fuzz targets, whose readers either read or reject bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace foretrain::fuzz {

/// Calls `read`, which may throw DataError. Any other exception ends the program, which the fuzzer
/// detects.
void expect_data_error_at_most(const std::function<void()>& read);

/// Calls `read`, which may reject its input (InputError, DataError) with a message that begins with
/// one of `places`, such as the file's name.
void expect_refusal_at_most(std::span<const std::string> places, const std::function<void()>& read);
inline void expect_refusal_at_most(const std::string& place, const std::function<void()>& read) {
  expect_refusal_at_most({&place, 1}, read);
}

inline std::span<const std::uint8_t> bytes_of(const std::uint8_t* data, std::size_t size) {
  return {data, size};
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// The first byte of an input, a digit so that people can write inputs, selects one of several
/// readers. A line feed after it is not part of the text.
struct Chosen {
  std::size_t which = 0;  ///< less than the number of readers
  std::string_view text;
};
Chosen chosen_of(std::string_view input, std::size_t readers);

/// A temporary folder for readers that open files, removed at the end of the process.
const std::filesystem::path& scratch_folder();
/// Writes a file there, replacing an earlier one. Returns its path.
std::string scratch_file(const std::string& name, std::string_view text);

}  // namespace foretrain::fuzz

/// The entry point for libFuzzer.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
