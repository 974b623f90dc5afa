// What people give in place of a trace.
#pragma once

#include <string>
#include <string_view>

namespace foretrain {

/// What a file is that `import` cannot read, with what to give instead: reports of nsys, rocprof,
/// export_stacks, execution traces (Chakra), archives, pages, ... Empty: it may be one that it can.
/// `begin`: the first 4 KiB, unpacked.
std::string other_format(std::string_view path, std::string_view begin);

}  // namespace foretrain
