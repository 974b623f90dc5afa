#include "tests/fuzz/fuzz.h"

#include "models/base/check.h"
#include "models/data/data_error.h"
#include "scenarios/language/input_error.h"
#include "tests/reports/support.h"

#include <algorithm>
#include <exception>

namespace foretrain::fuzz {
namespace {

void check_place(const std::exception& error, std::span<const std::string> places) {
  const std::string_view what = error.what();
  const bool told = std::ranges::any_of(
      places, [&](const std::string& place) { return what.starts_with(place); });
  if (!told) fail_check(__FILE__, __LINE__, "an error says where: " + std::string(what));
}

}  // namespace

void expect_data_error_at_most(const std::function<void()>& read) {
  try {
    read();
  } catch (const DataError&) {  // expected
  }
}

void expect_refusal_at_most(std::span<const std::string> places,
                            const std::function<void()>& read) {
  try {
    read();
  } catch (const DataError& error) {
    check_place(error, places);
  } catch (const InputError& error) {
    check_place(error, places);
  }
}

Chosen chosen_of(std::string_view input, std::size_t readers) {
  if (input.empty()) return {};
  const auto first = static_cast<unsigned char>(input.front());
  input.remove_prefix(1);
  if (input.starts_with('\n')) input.remove_prefix(1);
  return {(first >= '0' ? first - '0' : first) % readers, input};
}

const std::filesystem::path& scratch_folder() {
  static const testing::TemporaryFolder folder;
  return folder.path();
}

std::string scratch_file(const std::string& name, std::string_view text) {
  std::string path = (scratch_folder() / name).string();
  testing::write_text(path, std::string(text));
  return path;
}

}  // namespace foretrain::fuzz
