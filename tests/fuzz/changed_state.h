// States that a fuzzer makes of real ones.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace foretrain::fuzz {

/// Eight bytes after two that say where they go; what is left in the end says where the state ends.
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
