#include "models/protocol/async.h"

#include "models/protocol/update_rule.h"

#include <string>
#include <utility>

namespace foretrain {

const Option kQuota{.key = "quota",
                    .doc =
                        "shared: workers x steps gradients in total, by whichever worker is free; "
                        "own: each worker does its own steps",
                    .fallback = std::string("shared"),
                    .choices = {"shared", std::string(kOwnQuota)},
                    .unused_because = "only async and ssp count gradients one by one"};

UpdateRule rule_of_async(const ProtocolOptions& options, int /*workers*/) {
  return {.own_quota = options.word(kQuota) == kOwnQuota};
}

Protocol async_protocol() {
  using enum MessageKind;
  Protocol protocol = protocol_by_rule<rule_of_async>();
  protocol.name = "async";
  protocol.doc = "every gradient is applied when it arrives";
  protocol.options = {&kQuota};
  protocol.messages = {push, parameters, final_parameters, stop, enough, cut, kept, pull};
  protocol.weighed_against = "sync";
  protocol.statistical_efficiency =
      "gradients are stale, computed with older parameters: the loss at the same step differs";
  return protocol;
}

}  // namespace foretrain
