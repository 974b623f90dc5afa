#include "models/protocol/ssp.h"

#include "models/protocol/async.h"
#include "models/protocol/update_rule.h"

namespace foretrain {
namespace {

UpdateRule rule_of_ssp(const ProtocolOptions& options, int workers) {
  UpdateRule rule = rule_of_async(options, workers);
  rule.bound = options.integer(kStaleness);
  return rule;
}

}  // namespace

const Option kStaleness{.key = "staleness",
                        .doc = "ssp: steps that a worker may be ahead of the slowest; 0: none",
                        .fallback = std::int64_t{4},
                        .unused_because = "only ssp has a bound on staleness"};

Protocol ssp_protocol() {
  Protocol protocol = protocol_by_rule<rule_of_ssp>();
  protocol.name = "ssp";
  protocol.doc = "as async, but no worker is further ahead of the slowest than a bound";
  protocol.options = {&kStaleness, &kQuota};
  protocol.messages = async_protocol().messages;
  protocol.statistical_efficiency =
      "gradients are stale up to a bound: the loss at the same step differs";
  return protocol;
}

}  // namespace foretrain
