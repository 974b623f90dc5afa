#include "tests/faults/invariants.h"

#include "models/protocol/buffered.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

namespace foretrain::faults {

class Invariants::Watched : public Node {
 public:
  Watched(Invariants& invariants, NodeId id, std::unique_ptr<Node> program)
      : invariants_(invariants), id_(id), program_(std::move(program)) {}

  void handle(Instant now, Input input, Effects& effects) override {
    invariants_.last_input_ = std::max(invariants_.last_input_, now);
    const Heard heard(input);
    if (heard.computed) invariants_.kept_.told(static_cast<int>(index_of(id_)), *heard.computed);
    const std::size_t before = effects.size();
    program_->handle(now, std::move(input), effects);
    invariants_.happened(id_, heard, std::span(effects).subspan(before));
    invariants_.check_buffered(id_, *program_);
  }

 private:
  Invariants& invariants_;
  NodeId id_;
  std::unique_ptr<Node> program_;
};

Invariants::Invariants(std::shared_ptr<const Training> training)
    : training_(std::move(training)),
      wire_(*training_),
      begun_(static_cast<std::size_t>(training_->nodes())) {
  const bool sums = training_->servers == 0 && training_->workers > 1;
  if (sums && training_->numerics && !training_->sparse()) {
    rounds_.expected = std::make_unique<RoundValues>(training_);
  }
  for (int i = 0; i < training_->workers; ++i) {
    workers_.emplace_back(training_, training_->worker(i), rounds_);
  }
  for (int i = 0; i < training_->servers; ++i) {
    servers_.emplace_back(training_, training_->server(i), choices_);
  }
}

std::unique_ptr<Node> Invariants::around(NodeId id, std::unique_ptr<Node> program) {
  if (begun_[index_of(id)]++ > 0) {
    wire_.begin_again(id);
    workers_.at(index_of(id)).begin_again();
  }
  return std::make_unique<Watched>(*this, id, std::move(program));
}

void Invariants::happened(NodeId id, const Heard& heard, std::span<const Effect> effects) {
  if (heard.lost) wire_.mark_lost(id, *heard.lost);
  if (heard.back) wire_.take_back(id, *heard.back);
  if (heard.mail) wire_.receive(heard.from, id, *heard.mail);
  for (const Effect& effect : effects) {
    if (const auto* send = std::get_if<Send>(&effect)) {
      wire_.send(id, send->to, Envelope(send->message));
      note_choice(send->message, send->to);
    } else if (const auto* keep = std::get_if<SaveState>(&effect)) {
      kept_.keep(static_cast<int>(index_of(id)), *keep);
    } else if (const auto* fault = std::get_if<Fault>(&effect)) {
      const bool cried = fault->why.find("out of turn") != std::string::npos;
      if (cried) throw Broken(fmt::format("{}: {}", training_->role(id), fault->why));
    }
  }
  if (training_->is_worker(id)) return workers_[index_of(id)].happened(heard, effects);
  if (id == training_->server(0) && training_->servers > 1) check_cut(heard, effects);
  const auto shard = index_of(id) - static_cast<std::uint32_t>(training_->workers);
  if (heard.mail) note_buffered(id, heard.from, *heard.mail);
  servers_[shard].happened(heard, effects);
}

// A server may count a pull like a push, because it counts a push for as long as its bucket may
// count.
void Invariants::note_buffered(NodeId server, NodeId worker, const Envelope& mail) {
  if (mail.kind != MessageKind::push && mail.kind != MessageKind::pull) return;
  const bool lists = mail.kind == MessageKind::push && training_->sparse();
  const Bytes size = lists ? Bytes{std::ssize(mail.numbers) * std::int64_t{sizeof(float)}}
                           : training_->layout->buckets.at(mail.bucket).size();
  Bytes& largest = pushes_[server][{worker, mail.bucket}];
  largest = std::max(largest, size);
}

void Invariants::check_buffered(NodeId server, const Node& program) const {
  const auto* holder = dynamic_cast<const Buffering*>(&program);
  if (holder == nullptr || training_->is_worker(server)) return;
  Bytes most;
  if (const auto pushes = pushes_.find(server); pushes != pushes_.end()) {
    for (const auto& [of, largest] : pushes->second) most += largest;
  }
  if (holder->peak_buffered() <= most) return;
  throw Broken(fmt::format("{} holds {} bytes of pushes, one of each worker and bucket are {}",
                           training_->role(server), holder->peak_buffered().value, most.value));
}

// The answers of the first bucket let workers continue (server_cut.h). A checkpoint is abandoned if
// a worker is lost; reports about it do not count for a later one.
void Invariants::check_cut(const Heard& heard, std::span<const Effect> effects) {
  if (heard.lost) cut_.reset();
  const bool kept = heard.mail && heard.mail->kind == MessageKind::kept;
  if (kept && heard.mail->version == cut_) kept_there_.insert(heard.from);
  for (const Effect& effect : effects) {
    const auto* send = std::get_if<Send>(&effect);
    if (send == nullptr) continue;
    const Message& message = send->message;
    if (message.kind == MessageKind::cut && !training_->is_worker(send->to)) {
      cut_ = message.version;
      kept_there_.clear();
    }
    if (!cut_ || message.kind != MessageKind::parameters || message.bucket != 0) continue;
    if (std::ssize(kept_there_) + 1 < training_->servers) {
      throw Broken(fmt::format("server0 lets workers go on from cut {} before all have kept it",
                               cut_->value));
    }
    cut_.reset();
  }
}

// Records a choice once, from the message to shard 1, because all other shards get the same.
void Invariants::note_choice(const Message& message, NodeId to) {
  if (message.kind != MessageKind::choice || to != training_->server(1)) return;
  const auto bytes = message.payload.bytes();
  auto& chosen = choices_.emplace_back(bytes.size() / sizeof(std::uint32_t));
  std::memcpy(chosen.data(), bytes.data(), bytes.size());
}

}  // namespace foretrain::faults
