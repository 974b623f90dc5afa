// A server that a test drives message by message.
#pragma once

#include "models/protocol/registry.h"
#include "tests/support/trainings.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

namespace foretrain::testing {

/// The only server of a small training, already started.
struct ServerByHand {
  explicit ServerByHand(std::shared_ptr<Training> its)
      : training(std::move(its)), server(make_node(training, training->server(0))) {
    give(Started{});
  }

  Effects give(Input input) {
    Effects effects;
    server->handle({++clock}, std::move(input), effects);
    return effects;
  }
  /// Pushes a gradient whose numbers are all 0.5.
  Effects push(int worker, std::int64_t step, std::int64_t version) {
    Message message{.kind = MessageKind::push, .step = {step}, .version = {version}};
    message.payload = Payload::allocate({training->layout->parameters * 4});
    std::ranges::fill(message.payload.writable_floats(), 0.5F);
    return give(Received{NodeId(worker), std::move(message)});
  }
  Effects pull(int worker, std::int64_t incarnation) {
    Message message{.kind = MessageKind::pull, .version = {incarnation}};
    return give(Received{NodeId(worker), std::move(message)});
  }
  /// Executes the first job that the server asked for.
  Effects applied(const Effects& effects) {
    const Job& job = std::get<Compute>(effects.at(0)).job;
    Serial serial;
    job.work(serial);
    return give(Computed{job.id, {}});
  }

  std::shared_ptr<Training> training;
  std::unique_ptr<Node> server;
  std::int64_t clock = 0;
};

}  // namespace foretrain::testing
