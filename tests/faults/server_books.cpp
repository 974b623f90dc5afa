#include "tests/faults/server_books.h"

#include "models/protocol/backup.h"
#include "models/protocol/registry.h"
#include "models/protocol/server_cut.h"
#include "models/protocol/ssp.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>
#include <utility>

namespace foretrain::faults {

ServerBooks::ServerBooks(std::shared_ptr<const Training> training, NodeId id,
                         const Choices& choices)
    : training_(std::move(training)),
      id_(id),
      choices_(choices),
      buckets_(training_->layout->of_shard(static_cast<int>(index_of(id)) - training_->workers)) {
  const Protocol& protocol = *training_->protocol;
  gradients_an_update_ = protocol.gradients_an_update(training_->options, training_->workers);
  synchronous_ = protocol.synchronous;
  backups_ = synchronous_ && gradients_an_update_ < training_->workers;
  if (reads(protocol, kStaleness)) bound_ = training_->options.integer(kStaleness);
  for (const std::uint32_t index : buckets_) accounts_.emplace_back(training_, index);
}

void ServerBooks::require(bool holds, const std::string& what) const {
  if (!holds) throw Broken(fmt::format("{}: {}", training_->role(id_), what));
}

ServerBooks::Account& ServerBooks::account(std::uint32_t bucket) {
  const auto found = std::ranges::find(buckets_, bucket);
  require(found != buckets_.end(), "a bucket of another shard");
  return accounts_[static_cast<std::size_t>(found - buckets_.begin())];
}

ServerBooks::Account& ServerBooks::account_of(JobId apply) {
  return accounts_.at(static_cast<std::size_t>(apply));
}

ServerBooks::Account& ServerBooks::account_of(const Compute& apply) {
  return account_of(apply.job.id);
}

std::int64_t ServerBooks::updates(std::uint32_t bucket) const {
  const auto found = std::ranges::find(buckets_, bucket);
  return found == buckets_.end()
             ? 0
             : accounts_[static_cast<std::size_t>(found - buckets_.begin())].updates;
}

void ServerBooks::happened(const Heard& heard, std::span<const Effect> effects) {
  if (gave_up_) return;
  std::vector<const Compute*> begun;
  for (const Effect& effect : effects) {
    if (const auto* compute = std::get_if<Compute>(&effect)) begun.push_back(compute);
  }
  const bool kept = heard.computed && *heard.computed == ServerCut::kJob;
  if (keeping_ && !kept) return postponed_.push_back(heard);
  for (const Heard& each : std::exchange(postponed_, {})) hear(each, begun, effects);
  keeping_ = false;
  hear(heard, begun, effects);
  for (const Effect& effect : effects) {
    if (const auto* compute = std::get_if<Compute>(&effect)) {
      if (std::erase(begun, compute) > 0) begins_apply(account_of(*compute));
    } else if (const auto* send = std::get_if<Send>(&effect)) {
      if (training_->is_worker(send->to)) sent(index_of(send->to), Envelope(send->message));
    } else if (const auto* end = std::get_if<Finished>(&effect)) {
      finished(*end);
    } else if (std::holds_alternative<SaveState>(effect)) {
      keeping_ = true;
    } else if (std::holds_alternative<Fault>(effect)) {
      gave_up_ = true;
    }
  }
}

void ServerBooks::hear(const Heard& heard, std::vector<const Compute*>& begun,
                       std::span<const Effect> effects) {
  const bool push = heard.mail && heard.mail->kind == MessageKind::push;
  // Postponed inputs made their effects one by one: a gradient that is being applied when its
  // worker is lost is not dropped.
  if (!push) {
    std::erase_if(begun, [this](const Compute* compute) {
      Account& account = account_of(*compute);
      if (!could_apply(account)) return false;
      begins_apply(account);
      return true;
    });
  }
  if (heard.lost) lost(*heard.lost);
  if (push) pushed(index_of(heard.from), *heard.mail);
  const bool pull = heard.mail && heard.mail->kind == MessageKind::pull;
  if (pull) pulled(index_of(heard.from), *heard.mail);
  if (heard.computed && *heard.computed != ServerCut::kJob) {
    has_applied(account_of(*heard.computed), effects);
  }
}

// In lockstep (staleness 0), all workers at the slowest clock have to be present.
bool ServerBooks::could_apply(const Account& account) const {
  if (synchronous_ || !account.applying.empty() || account.waiting.empty()) return false;
  if (!bound_ || *bound_ > 0) return true;
  std::int64_t slowest = std::numeric_limits<std::int64_t>::max();
  for (std::size_t worker = 0; worker < account.lost.size(); ++worker) {
    if (!account.lost[worker]) slowest = std::min(slowest, account.clocks[worker]);
  }
  for (std::uint32_t worker = 0; worker < account.lost.size(); ++worker) {
    if (account.lost[worker] || account.clocks[worker] != slowest) continue;
    const auto is_of_worker = [&](const Push& push) { return push.worker == worker; };
    if (std::ranges::none_of(account.waiting, is_of_worker)) return false;
  }
  return true;
}

void ServerBooks::pushed(std::uint32_t worker, const Envelope& push) {
  Account& here = account(push.bucket);
  const auto of_worker = [&](const Push& other) {
    return other.worker == worker && !other.orphaned;
  };
  require(std::ranges::none_of(here.waiting, of_worker) &&
              std::ranges::none_of(here.applying, of_worker) && !here.applied.contains(worker),
          fmt::format("worker{} pushes before it is answered", worker));
  require(push.step.value == here.next_step[worker],
          fmt::format("worker{} pushes step {}, not {}", worker, push.step.value,
                      here.next_step[worker]));
  require(push.version.value <= here.updates, "a gradient by parameters of the future");
  here.last_sent[worker] = push.step.value;
  // With backups: chosen gradients of the previous process are applied by now; the others are
  // dropped.
  std::erase_if(here.waiting, [&](const Push& other) { return other.worker == worker; });
  if (!here.over) here.waiting.push_back({worker, push.step, push.version, gradient_in(push)});
}

std::vector<float> ServerBooks::gradient_in(const Envelope& push) const {
  const Compression& compression = training_->compression;
  if (!compression.wanted() || push.numbers.empty()) return push.numbers;
  Payload bytes = Payload::allocate(push.size - kHeaderSize);
  std::memcpy(bytes.writable_bytes().data(), push.numbers.data(), bytes.bytes().size());
  const auto gradient =
      expand(compression, bytes, training_->layout->buckets.at(push.bucket).count);
  require(gradient.has_value(), "a push that is no gradient");
  return {gradient->floats().begin(), gradient->floats().end()};
}

// The server's answer gives the first step, which another server may have determined.
void ServerBooks::pulled(std::uint32_t worker, const Envelope& pull) {
  Account& here = account(pull.bucket);
  require(here.over || here.lost[worker],
          fmt::format("worker{} pulls, but was never lost", worker));
  here.lost[worker] = false;
  if (here.over) return;
  Push asked{worker, pull.step, pull.version, {}};
  asked.pull = true;
  here.applied.emplace(worker, std::move(asked));
  if (pull.bucket != 0) begin_at(here, worker, pull.step);
}

void ServerBooks::begin_at(Account& account, std::uint32_t worker, Step first) const {
  require(first.value > account.last_sent[worker],
          fmt::format("worker{} begins again with step {}, which it has sent before", worker,
                      first.value));
  require(first.value >= account.clocks[worker], "a clock goes back");
  account.clocks[worker] = account.next_step[worker] = first.value;
}

// Drops gradients of the worker that are not being applied; with backups they may have been chosen.
void ServerBooks::lost(NodeId peer) {
  if (!training_->is_worker(peer)) return;
  const std::uint32_t worker = index_of(peer);
  for (Account& account : accounts_) {
    account.lost[worker] = true;
    account.applied.erase(worker);
    for (Push& push : account.applying) push.orphaned = push.orphaned || push.worker == worker;
    for (Push& push : account.waiting) push.orphaned = push.orphaned || push.worker == worker;
    if (backups_) continue;
    std::erase_if(account.waiting, [&](const Push& push) { return push.worker == worker; });
  }
}

void ServerBooks::begins_apply(Account& account) {
  require(account.applying.empty(), "two updates of a bucket at once");
  const auto take = [&](auto push) {
    account.applying.push_back(std::move(*push));
    account.waiting.erase(push);
  };
  if (!synchronous_) {
    require(!account.waiting.empty(), "an update without a gradient");
    // In lockstep, clock by clock, within a clock in the order of the workers.
    const bool in_order = bound_ && *bound_ == 0;
    const auto place = [](const Push& push) { return std::pair(push.step, push.worker); };
    take(in_order ? std::ranges::min_element(account.waiting, {}, place) : account.waiting.begin());
    return;
  }
  const auto counts = [&](const Push& push) {
    if (push.version.value != account.updates) return false;
    const auto update = static_cast<std::size_t>(account.updates);
    return update >= choices_.size() || std::ranges::count(choices_[update], push.worker) > 0;
  };
  for (std::size_t i = 0; i < account.waiting.size();) {
    if (counts(account.waiting[i])) {
      take(account.waiting.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
  const auto count = static_cast<std::int64_t>(account.applying.size());
  // With backups and one shard, only the answers will show whose gradients were chosen.
  require(backups_ ? count >= gradients_an_update_ : count == gradients_an_update_,
          fmt::format("an update of {} gradients", count));
}

void ServerBooks::has_applied(Account& account, std::span<const Effect> effects) {
  require(!account.applying.empty(), "an update that nobody has begun");
  std::vector<Push> pushes = std::exchange(account.applying, {});
  ++account.updates;
  if (std::ssize(pushes) > gradients_an_update_) leave_those_chosen(account, pushes, effects);
  require(std::ssize(pushes) == gradients_an_update_, "an update with a gradient too few");
  // In the order of the workers, which is part of the promise for sums.
  std::ranges::sort(pushes, {}, &Push::worker);
  std::vector<const std::vector<float>*> gradients;
  for (const Push& push : pushes) gradients.push_back(&push.gradient);
  account.values.apply(gradients);
  for (Push& push : pushes) {
    const std::uint32_t worker = push.worker;
    if (push.orphaned || account.lost[worker]) continue;
    ++account.clocks[worker];
    account.applied.emplace(worker, std::move(push));
  }
}

// Keeps the pushes that are answered; a chosen push of a lost worker is not answered.
void ServerBooks::leave_those_chosen(Account& account, std::vector<Push>& pushes,
                                     std::span<const Effect> effects) const {
  const auto is_answered = [&](const Push& push) {
    return !push.orphaned && std::ranges::any_of(effects, [&](const Effect& effect) {
      const auto* send = std::get_if<Send>(&effect);
      return send != nullptr && index_of(send->to) == push.worker &&
             (send->message.kind == MessageKind::parameters ||
              send->message.kind == MessageKind::final_parameters);
    });
  };
  const auto others = std::stable_partition(pushes.begin(), pushes.end(), is_answered);
  const auto lost =
      std::stable_partition(others, pushes.end(), [](const Push& push) { return push.orphaned; });
  const auto chosen = pushes.begin() + gradients_an_update_;
  require(chosen >= others && chosen <= lost, "an update with a gradient too few or too many");
  if (chosen != others && chosen != lost) account.values.lose_sight();
  account.waiting.insert(account.waiting.end(), std::make_move_iterator(chosen),
                         std::make_move_iterator(pushes.end()));
  pushes.erase(chosen, pushes.end());
}

void ServerBooks::sent(std::uint32_t worker, const Envelope& answer) {
  if (answer.kind == MessageKind::cut) return;  // concerns no bucket
  Account& here = account(answer.bucket);
  require(!here.lost[worker], fmt::format("worker{} is lost, but answered", worker));
  if (answer.kind == MessageKind::dropped) {
    const auto late = std::ranges::find_if(
        here.waiting, [&](const Push& push) { return push.worker == worker && !push.orphaned; });
    require(late != here.waiting.end(), "a gradient is dropped that is not here");
    require(late->version.value < answer.version.value, "a gradient is dropped that was in time");
    require(answer.version.value <= here.updates, "values of the future");
    here.waiting.erase(late);
    return;
  }
  const auto asked = here.applied.find(worker);
  const bool to_pull = asked != here.applied.end() && asked->second.pull;
  // With backups, a returning worker gets the version that all shards had at one decision.
  const bool older = backups_ && to_pull && answer.version.value < here.updates;
  require(older || answer.version.value == here.updates,
          fmt::format("version {} is sent after {} updates", answer.version.value, here.updates));
  if (!older) check_values(here, worker, answer);
  if (answer.kind == MessageKind::stop) {
    here.over = true;
    return;
  }
  answered(here, worker, answer);
}

void ServerBooks::answered(Account& account, std::uint32_t worker, const Envelope& answer) {
  const auto found = account.applied.find(worker);
  const bool pull = found != account.applied.end() && found->second.pull;
  if (pull && answer.bucket == 0) begin_at(account, worker, answer.step);
  require(found != account.applied.end() &&
              (found->second.step == answer.step || (pull && answer.bucket == 0)),
          fmt::format("worker{} is told that step {} counted, which did not, or was told before",
                      worker, answer.step.value));
  account.applied.erase(found);
  if (!pull) ++account.next_step[worker];
  if (answer.kind == MessageKind::final_parameters) {
    account.over = true;
  } else if (bound_) {
    check_bound(account, worker);
  }
}

void ServerBooks::check_bound(const Account& account, std::uint32_t worker) const {
  std::int64_t slowest = account.clocks[worker];
  for (std::uint32_t other = 0; other < account.lost.size(); ++other) {
    const auto asked = account.applied.find(other);
    const bool pulls = asked != account.applied.end() && asked->second.pull;
    if (!account.lost[other] && !pulls) slowest = std::min(slowest, account.clocks[other]);
  }
  require(account.clocks[worker] - slowest <= *bound_,
          fmt::format("worker{} goes on {} ahead of the slowest, {} are allowed", worker,
                      account.clocks[worker] - slowest, *bound_));
}

void ServerBooks::check_values(Account& account, std::uint32_t worker,
                               const Envelope& answer) const {
  const auto push = account.applied.find(worker);
  const bool to_push =
      answer.kind == MessageKind::parameters && push != account.applied.end() && !push->second.pull;
  const std::string wrong =
      account.values.wrong_with(answer.numbers, to_push ? &push->second.gradient : nullptr);
  require(wrong.empty(), fmt::format("after {} updates {}", account.updates, wrong));
}

void ServerBooks::finished(const Finished& finished) {
  for (const Account& account : accounts_) {
    require(account.over, "the end, but a bucket goes on");
    require(account.applying.empty(), "the end in the middle of an update");
  }
  require(finished.updates == accounts_.front().updates, "updates are counted wrong");
  require(finished.gradients == finished.updates * gradients_an_update_,
          fmt::format("{} gradients in {} updates", finished.gradients, finished.updates));
}

}  // namespace foretrain::faults
