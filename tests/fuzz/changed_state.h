// States derived from real ones by a fuzzer.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace foretrain::fuzz {

/// Each edit is two bytes of position plus eight bytes of data; the remaining bytes give the
/// state's new end.
inline void change_state(std::string& state, std::string_view edits) {
  constexpr std::size_t kPlace = 2;
  constexpr std::size_t kWord = 8;
  while (edits.size() >= kPlace) {
    std::uint16_t place = 0;
    std::memcpy(&place, edits.data(), kPlace);
    edits.remove_prefix(kPlace);
    const std::size_t at = place % (state.size() + 1);
    if (edits.size() < kWord) return state.resize(at, 'x');
    const std::size_t count = std::min(kWord, state.size() - at);
    state.replace(at, count, edits.substr(0, count));
    edits.remove_prefix(kWord);
  }
}

}  // namespace foretrain::fuzz
