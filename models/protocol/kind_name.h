// What people call the kinds of messages.
#pragma once

#include "models/protocol/message.h"

#include <string_view>

namespace foretrain {

/// push, final parameters, ...
std::string_view name_of(MessageKind kind);

}  // namespace foretrain
