#include "models/protocol/kind_name.h"

namespace foretrain {

std::string_view name_of(MessageKind kind) {
  switch (kind) {
    case MessageKind::push:
      return "push";
    case MessageKind::parameters:
      return "parameters";
    case MessageKind::final_parameters:
      return "final parameters";
    case MessageKind::stop:
      return "stop";
    case MessageKind::partial:
      return "partial";
    case MessageKind::dropped:
      return "dropped";
    case MessageKind::choice:
      return "choice";
    case MessageKind::late:
      return "late";
    case MessageKind::enough:
      return "enough";
    case MessageKind::cut:
      return "cut";
    case MessageKind::kept:
      return "kept";
    case MessageKind::pull:
      return "pull";
    case MessageKind::returned:
      return "returned";
    case MessageKind::end:
      break;
  }
  return "a message of an unknown kind";
}

}  // namespace foretrain
