#include "models/protocol/sync.h"

#include "models/protocol/backup.h"
#include "models/protocol/update_rule.h"

#include <fmt/format.h>

namespace foretrain {
namespace {

int backups_of(const ProtocolOptions& options) {
  return static_cast<int>(options.integer(kBackupWorkers));
}

UpdateRule rule_of_sync(const ProtocolOptions& options, int workers) {
  return {.gradients = workers - backups_of(options), .in_step = true};
}

std::optional<WrongOption> too_many_backups(const ProtocolOptions& options, int workers) {
  const int backups = backups_of(options);
  if (backups < workers) return std::nullopt;
  return WrongOption{&kBackupWorkers,
                     fmt::format("{} of {} workers leaves no worker to make a step; write fewer",
                                 backups, workers)};
}

}  // namespace

const Option kBackupWorkers{
    .key = "backup_workers",
    .doc = "sync: number of slowest workers that a step does not wait for",
    .fallback = std::int64_t{0},
    .most = 100'000,
    .unused_because = "only sync waits for all workers, so only it has backups",
    .one_more = "one backup worker",
    .one_more_doc = "a step does not wait for one more worker"};

Protocol sync_protocol() {
  using enum MessageKind;
  Protocol protocol = protocol_by_rule<rule_of_sync>();
  protocol.name = "sync";
  protocol.doc = "each update uses a gradient of every worker";
  protocol.options = {&kBackupWorkers};
  protocol.messages = {push, parameters, final_parameters, stop, dropped, choice, late, enough, cut,
                       kept, pull,       returned};
  protocol.weighed_against = "async";
  protocol.takes_back_with = "with backup_workers or rejoin_limit";
  protocol.wrong = too_many_backups;
  return protocol;
}

}  // namespace foretrain
