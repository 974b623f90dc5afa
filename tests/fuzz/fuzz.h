// What the fuzz targets share: bytes that a reader either reads or refuses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace foretrain::fuzz {

/// Calls `read`, which may find its data wrong. Whatever else it throws ends the program, which is
/// what the fuzzer looks for.
void expect_data_error_at_most(const std::function<void()>& read);

/// Calls `read`, which may refuse its input (InputError, DataError) in words that begin with one of
/// `places`: the file's name, say.
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

/// The first byte of an input says which of several readers it is for, as a digit, so that people
/// can write one, too; a line feed after it is no part of the text.
struct Chosen {
  std::size_t which = 0;  ///< below the number of readers
  std::string_view text;
};
Chosen chosen_of(std::string_view input, std::size_t readers);

/// A folder for readers that open files themselves, gone with the process.
const std::filesystem::path& scratch_folder();
/// Writes a file there, in place of an earlier one. Returns its path.
std::string scratch_file(const std::string& name, std::string_view text);

}  // namespace foretrain::fuzz

/// The entry point that libFuzzer calls.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
