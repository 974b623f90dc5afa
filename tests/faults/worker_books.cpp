#include "tests/faults/worker_books.h"

#include "models/protocol/registry.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

namespace foretrain::faults {

WorkerBooks::WorkerBooks(std::shared_ptr<const Training> training, NodeId id, Rounds& rounds)
    : training_(std::move(training)),
      id_(id),
      rounds_(rounds),
      views_(training_->layout->buckets.size()) {
  const Protocol& protocol = *training_->protocol;
  synchronous_ = protocol.synchronous;
  in_step_ =
      protocol.synchronous &&
      protocol.gradients_an_update(training_->options, training_->workers) == training_->workers;
}

void WorkerBooks::require(bool holds, const std::string& what) const {
  if (!holds) throw Broken(fmt::format("{}: {}", training_->role(id_), what));
}

void WorkerBooks::happened(const Heard& heard, std::span<const Effect> effects) {
  if (heard.mail) {
    for (const Envelope& mail : by_bucket(*heard.mail)) received(mail);
  }
  for (const Effect& effect : effects) {
    const auto* send = std::get_if<Send>(&effect);
    if (send == nullptr) continue;
    for (const Envelope& mail : by_bucket(Envelope(send->message))) sent(send->to, mail);
  }
}

std::vector<Envelope> WorkerBooks::by_bucket(const Envelope& mail) const {
  const bool sums = mail.kind == MessageKind::partial || mail.kind == MessageKind::parameters;
  if (training_->servers > 0 || !sums) return {mail};
  std::vector<Envelope> parts;
  std::int64_t left = (mail.size - kHeaderSize).value;
  const auto* from = reinterpret_cast<const std::byte*>(mail.numbers.data());
  for (std::uint32_t bucket = mail.bucket; left > 0; ++bucket) {
    const std::int64_t count = training_->layout->buckets.at(bucket).count;
    const std::int64_t size = compressed_size(training_->compression, count).value;
    require(size <= left, "a message ends within a bucket");
    Envelope part = mail;
    part.bucket = bucket;
    part.numbers.assign(static_cast<std::size_t>(size + 3) / sizeof(float), 0.0F);
    std::memcpy(part.numbers.data(), from, static_cast<std::size_t>(size));
    parts.push_back(std::move(part));
    from += size;
    left -= size;
  }
  return parts;
}

void WorkerBooks::received(const Envelope& mail) {
  View& view = views_.at(mail.bucket);
  switch (mail.kind) {
    case MessageKind::parameters:
    case MessageKind::final_parameters:
    case MessageKind::dropped:
    case MessageKind::stop:
      if (training_->servers == 0) {
        require(mail.step.value == view.renewals, "values of another round");
        ++view.renewals;
        return check_round(mail);
      }
      view.version = mail.version.value;
      view.awaits = false;
      return;
    default:
      return;
  }
}

void WorkerBooks::sent(NodeId to, const Envelope& mail) {
  View& view = views_.at(mail.bucket);
  switch (mail.kind) {
    case MessageKind::push:
      return pushed(mail);
    case MessageKind::partial:
      require(mail.step.value == view.partials,
              fmt::format("its part goes into round {} of bucket {}, not {}", mail.step.value,
                          mail.bucket, view.partials));
      ++view.partials;
      return;
    case MessageKind::parameters:
      require(passed_on_.emplace(to, mail.bucket, mail.step.value).second,
              "the same values twice to the same worker");
      return check_round(mail);
    default:
      return;
  }
}

void WorkerBooks::pushed(const Envelope& push) {
  View& view = views_[push.bucket];
  require(!view.awaits, fmt::format("bucket {} is pushed before it is answered", push.bucket));
  view.awaits = true;
  require(
      push.version.value == view.version,
      fmt::format("a gradient by version {}, but {} was sent", push.version.value, view.version));
  if (!synchronous_) return;
  if (!in_step_) return check_version(push);
  for (const View& other : views_) {
    require(other.version >= push.step.value,
            fmt::format("a gradient of step {} when a bucket is at {}", push.step.value,
                        other.version));
  }
}

void WorkerBooks::check_version(const Envelope& push) {
  // A dropped gradient is followed by another one of the same step.
  if (gradient_.step != push.step.value || gradient_.pushes == views_.size()) {
    gradient_ = {push.step.value, push.version.value};
  }
  ++gradient_.pushes;
  require(gradient_.version == push.version.value,
          fmt::format("a gradient of step {} by version {} of one bucket, by {} of another",
                      push.step.value, gradient_.version, push.version.value));
}

void WorkerBooks::check_round(const Envelope& values) {
  const auto [seen, fresh] =
      rounds_.seen.try_emplace({values.bucket, values.step.value}, values.numbers);
  if (fresh && rounds_.expected) {
    const std::string wrong =
        rounds_.expected->wrong_with(values.bucket, values.step.value, values.numbers);
    require(wrong.empty(),
            fmt::format("bucket {} after round {}: {}", values.bucket, values.step.value, wrong));
  }
  if (fresh) return;
  const auto& first = seen->second;
  require(first.size() == values.numbers.size() &&
              std::memcmp(first.data(), values.numbers.data(), first.size() * sizeof(float)) == 0,
          fmt::format("bucket {} is not the same everywhere after round {}", values.bucket,
                      values.step.value));
}

}  // namespace foretrain::faults
