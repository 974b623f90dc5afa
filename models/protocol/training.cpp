#include "models/protocol/training.h"

#include "models/base/random.h"

#include <fmt/format.h>

#include <algorithm>

namespace foretrain {

std::string Training::role(NodeId id) const {
  const int index = static_cast<int>(index_of(id));
  return is_worker(id) ? fmt::format("worker{}", index) : fmt::format("server{}", index - workers);
}

Payload initial_parameters(const Training& training) {
  const Bytes size{training.layout->parameters * 4};
  if (!training.numerics) return Payload::sized(size);
  Payload parameters = Payload::allocate(size);
  if (training.start) {
    std::ranges::copy(*training.start, parameters.writable_floats().begin());
    return parameters;
  }
  Stream stream(training.seed, "init");
  training.network->initialize(stream, parameters.writable_floats());
  return parameters;
}

}  // namespace foretrain
